/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The domains of the package registries and of what their clients are sent on to. Registrable domains
 * only: each is the domain itself and every name below it, so no one else can put a name there.
 */
#ifndef REEVE_NAMES_DEFAULT_H
#define REEVE_NAMES_DEFAULT_H

/* X(domain) */
#define NAMES_PACKAGE_MANAGERS(X)                                                                  \
	/* npm, yarn, and node's headers for packages that compile */                              \
	X("npmjs.org")                                                                             \
	X("npmjs.com")                                                                             \
	X("yarnpkg.com")                                                                           \
	X("nodejs.org")                                                                            \
	/* pip */                                                                                  \
	X("pypi.org")                                                                              \
	X("pythonhosted.org")                                                                      \
	/* conda */                                                                                \
	X("anaconda.org")                                                                          \
	X("anaconda.com")

#endif
