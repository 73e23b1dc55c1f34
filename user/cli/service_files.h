/* SPDX-License-Identifier: GPL-2.0-only */
/* Files that go with an installation, on stdout: they name this very program, its places and what it needs. */
#ifndef REEVE_SERVICE_FILES_H
#define REEVE_SERVICE_FILES_H

void service_files_print_service(void);
void service_files_print_socket(void);
void service_files_print_nginx(void);

#endif
