/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef REEVE_INIT_H
#define REEVE_INIT_H

#include "child.h"

/*
 * The sandbox's init, every isolation step behind it: waits for CHILD_GO, runs the command, reaps, tells
 * the command's end and dies, which takes all the rest of the pid namespace with it.
 */
_Noreturn void init_main(struct child *c);

#endif
