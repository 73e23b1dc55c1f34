// SPDX-License-Identifier: GPL-2.0-only
/*
 * Files and directories of the host at /in: what may be given, what is refused and how, and what of it
 * can be done inside.
 */
#include "../box_run.h"

#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "../../user/kernel/probe_sandbox.h"

#define LIST(...) ((const char *const[]){ __VA_ARGS__ })

static char base[PATH_MAX - 256];

/* A path below the test's own directory. */
static const char *at(const char *name)
{
	static char paths[64][PATH_MAX];
	static unsigned int next;
	char *path = paths[next++ % ARRAY_SIZE(paths)];

	if (!*base) {
		const char *dir = getenv("TMPDIR");

		snprintf(base, sizeof(base), "%s/inputs-XXXXXX", dir ? dir : "/tmp");
		ASSERT_NOT_NULL(mkdtemp(base));
	}
	snprintf(path, PATH_MAX, "%s/%s", base, name);
	return path;
}

static void write_file(const char *path, const char *text, mode_t mode)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, mode);

	ASSERT_EQ(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	ASSERT_OK(fchmod(fd, mode));
	close(fd);
}

static int open_input(enum spec_input_kind kind, const char *path, const struct input_roots *roots)
{
	const struct spec_input input = { kind, (char *)path };
	char *name = NULL;
	int fd = -1, r;

	box.fault = (struct fault){ FAULT_NONE };
	r = input_open(&input, roots, "/files/0", &fd, &name, &box.fault);
	printf("%s: %d %s\n", path, r, box.fault.reason);
	if (r == 0)
		EXPECT_OK(close(fd));
	free(name);
	return r;
}

static void expect_refused(enum spec_input_kind kind, const char *path, const char *part)
{
	EXPECT_EQ(open_input(kind, path, NULL), FAULT_E_SET);
	EXPECT_EQ(box.fault.code, FAULT_INPUT);
	EXPECT_STREQ(box.fault.field, "/files/0");
	EXPECT_HAS(box.fault.reason, path);
	EXPECT_HAS(box.fault.reason, part);
	EXPECT_NE(strlen(box.fault.remedy), 0);
}

/* What the world may not read is shown only by a file system that can be mounted with other owners. */
static void owners_needed(void)
{
	bool mapped;

	ASSERT_OK(probe_idmapped_mount(at("."), box.userns_fd, &mapped));
	if (!mapped)
		SKIP("the file system of TMPDIR cannot be mounted with the sandbox's owners");
}

TEST("a file is readable at /in by the name of what its path leads to, whoever may read it outside")
{
	box_make(true);
	owners_needed();
	write_file(at("real"), "content", 0600);
	ASSERT_OK(chown(at("real"), 1000, 1000));
	ASSERT_OK(symlink(at("real"), at("link")));
	box_add_input(SPEC_INPUT_FILE, at("link"));
	EXPECT_STREQ(box_sh("ls /in; cat /in/real; stat -c ' %u:%g %a' /in/real"),
		     "real\ncontent 1000:1000 600\n");
}

TEST("a directory is readable at /in with all that lies below, and read-only")
{
	box_make(true);
	owners_needed();
	ASSERT_OK(mkdir(at("d"), 0700));
	ASSERT_OK(mkdir(at("d/below"), 0700));
	write_file(at("d/below/f"), "content", 0600);
	write_file(at("single"), "single", 0600);
	box_add_input(SPEC_INPUT_DIRECTORY, at("d"));
	box_add_input(SPEC_INPUT_FILE, at("single"));
	EXPECT_STREQ(
		box_sh("cat /in/d/below/f /in/single; cd /in; "
		       "for f in new d/new d/below/new; do (echo x >$f) 2>&1 | grep -o 'Read-only.*'; done; "
		       "for f in single d/below/f; do (echo x >>$f) 2>&1 | grep -o 'Read-only.*'; done; "
		       "chmod 777 single d/below/f 2>&1 | grep -o 'Read-only.*'; "
		       "rm -f d/below/f single 2>&1 | grep -oE 'Read-only.*|busy'; cat d/below/f"),
		"contentsingle"
		"Read-only file system\nRead-only file system\nRead-only file system\n"
		"Read-only file system\nRead-only file system\n"
		"Read-only file system\nRead-only file system\n"
		"Read-only file system\nRead-only file system\ncontent");
}

TEST("several directories keep apart")
{
	box_make(true);
	owners_needed();
	for (const char *name = "xyz"; *name; name++) {
		char path[8] = { *name };

		ASSERT_OK(mkdir(at(path), 0700));
		ASSERT_OK(chdir(at(path)));
		write_file("f", path, 0600);
		box_add_input(SPEC_INPUT_DIRECTORY, at(path));
	}
	ASSERT_OK(chdir("/"));
	EXPECT_STREQ(box_sh("cat /in/z/f /in/x/f /in/y/f"), "zxy");
}

TEST("a unix socket or FIFO of the host in an input directory leads nowhere, the file beside it is read")
{
	static const char *const argv[] = { "/in/ways_out", "/in/d", NULL };
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0), fifo;
	char byte;

	box_make(true);
	ASSERT_OK(mkdir(at("d"), 0755));
	write_file(at("d/file"), "content", 0644);
	ASSERT_OK(chdir(at("d")));
	strcpy(addr.sun_path, "socket");
	ASSERT_OK(bind(listener, (struct sockaddr *)&addr, sizeof(addr)));
	ASSERT_OK(chmod("socket", 0777));
	ASSERT_OK(listen(listener, 1));
	ASSERT_OK(mkfifo("fifo", 0666));
	ASSERT_OK(chmod("fifo", 0666));
	ASSERT_OK(chdir("/"));
	fifo = open(at("d/fifo"), O_RDONLY | O_NONBLOCK);
	ASSERT_GE(fifo, 0);
	box_add_input(SPEC_INPUT_DIRECTORY, at("d"));
	ASSERT_NOT_NULL(getenv("PROG"));
	box_add_prog("ways_out");
	EXPECT_STREQ(box_exec(argv),
		     "stream: ECONNREFUSED\ndatagram: ECONNREFUSED\nfifo: ENXIO\nfile: ok\ncontent\n");
	EXPECT_EQ(accept(listener, NULL, NULL), -1);
	EXPECT_EQ(read(fifo, &byte, 1), 0);
}

TEST("a device, a set-uid bit and another mount in an input directory mean nothing inside")
{
	box_make(true);
	ASSERT_OK(mkdir(at("d"), 0755));
	ASSERT_OK(mkdir(at("d/sub"), 0755));
	ASSERT_OK(mknod(at("d/null"), S_IFCHR | 0666, 0x103));
	ASSERT_OK(mount("tmpfs", at("d/sub"), "tmpfs", 0, NULL));
	write_file(at("d/sub/secret"), "secret", 0644);
	box_add_input(SPEC_INPUT_DIRECTORY, at("d"));
	EXPECT_STREQ(box_sh("(echo x >/in/d/null) 2>&1 | grep -o 'Permission denied'; ls /in/d/sub; "
			    "grep -o '/in/d ro,nosuid,nodev' /proc/self/mountinfo"),
		     "Permission denied\n/in/d ro,nosuid,nodev\n");
	ASSERT_OK(umount(at("d/sub")));
}

TEST("what was checked is what is mounted, though its path leads elsewhere by then")
{
	box_make(true);
	write_file(at("f"), "checked", 0644);
	write_file(at("other"), "swapped", 0644);
	ASSERT_OK(mkdir(at("d"), 0755));
	write_file(at("d/f"), "checked", 0644);
	box_add_input(SPEC_INPUT_FILE, at("f"));
	box_add_input(SPEC_INPUT_DIRECTORY, at("d"));
	ASSERT_OK(rename(at("f"), at("g")));
	ASSERT_OK(symlink("/etc/shadow", at("f")));
	ASSERT_OK(rename(at("d"), at("e")));
	ASSERT_OK(symlink("/root", at("d")));
	EXPECT_STREQ(box_sh("cat /in/f /in/d/f"), "checkedchecked");
}

TEST("everything but regular files and directories, and each as the other, is refused by name")
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	write_file(at("f"), "x", 0644);
	ASSERT_OK(mkdir(at("d"), 0755));
	ASSERT_OK(mkfifo(at("fifo"), 0666));
	ASSERT_OK(chdir(base));
	strcpy(addr.sun_path, "socket");
	ASSERT_OK(bind(fd, (struct sockaddr *)&addr, sizeof(addr)));
	expect_refused(SPEC_INPUT_FILE, at("d"), "not a regular file");
	expect_refused(SPEC_INPUT_FILE, at("fifo"), "not a regular file");
	expect_refused(SPEC_INPUT_FILE, at("socket"), "not a regular file");
	expect_refused(SPEC_INPUT_FILE, "/dev/null", "not a regular file");
	expect_refused(SPEC_INPUT_DIRECTORY, at("f"), "not a directory");
	expect_refused(SPEC_INPUT_DIRECTORY, "/", "no name");
	expect_refused(SPEC_INPUT_FILE, at("missing"), "No such file");
	expect_refused(SPEC_INPUT_FILE, at("f/below"), "Not a directory");
	EXPECT_OK(open_input(SPEC_INPUT_FILE, at("f"), NULL));
	EXPECT_OK(open_input(SPEC_INPUT_DIRECTORY, at("d"), NULL));
}

TEST("a path through a magic link is refused")
{
	write_file(at("f"), "x", 0644);
	ASSERT_EQ(dup2(open(at("f"), O_RDONLY), 100), 100);
	ASSERT_OK(symlink("/proc/self/root/etc", at("out")));
	expect_refused(SPEC_INPUT_FILE, "/proc/self/fd/100", "symbolic links");
	expect_refused(SPEC_INPUT_DIRECTORY, "/proc/self/root/etc", "symbolic links");
	expect_refused(SPEC_INPUT_DIRECTORY, at("out"), "symbolic links");
}

TEST("confined inputs lie in an allowed directory by where they really are")
{
	const char *const *paths = LIST(at("allowed"), at("missing"), at("alias"));
	const struct input_roots roots = { .paths = paths, .n_paths = 3 };

	ASSERT_OK(mkdir(at("allowed"), 0755));
	ASSERT_OK(mkdir(at("allowed2"), 0755));
	ASSERT_OK(mkdir(at("second"), 0755));
	ASSERT_OK(symlink(at("second"), paths[2]));
	write_file(at("allowed/f"), "x", 0644);
	write_file(at("allowed2/f"), "x", 0644);
	write_file(at("second/f"), "x", 0644);
	ASSERT_OK(symlink(at("allowed2/f"), at("allowed/leads_out")));
	ASSERT_OK(symlink(at("second/f"), at("allowed/leads_over")));
	ASSERT_OK(symlink(at("allowed/f"), at("leads_in")));
	EXPECT_OK(open_input(SPEC_INPUT_FILE, at("allowed/f"), &roots));
	EXPECT_OK(open_input(SPEC_INPUT_FILE, at("allowed/../allowed/f"), &roots));
	EXPECT_OK(open_input(SPEC_INPUT_DIRECTORY, at("allowed"), &roots));
	EXPECT_OK(open_input(SPEC_INPUT_FILE, at("second/f"), &roots));
	EXPECT_OK(open_input(SPEC_INPUT_FILE, at("allowed/leads_over"), &roots));
	EXPECT_OK(open_input(SPEC_INPUT_FILE, at("leads_in"), &roots));
	EXPECT_EQ(open_input(SPEC_INPUT_FILE, at("allowed2/f"), &roots), FAULT_E_SET);
	EXPECT_HAS(box.fault.reason, "does not lie in the allowed directories");
	EXPECT_HAS(box.fault.reason, paths[0]);
	EXPECT_EQ(open_input(SPEC_INPUT_FILE, at("allowed/leads_out"), &roots), FAULT_E_SET);
	EXPECT_EQ(open_input(SPEC_INPUT_FILE, at("allowed/../allowed2/f"), &roots), FAULT_E_SET);
	EXPECT_EQ(open_input(SPEC_INPUT_DIRECTORY, at(""), &roots), FAULT_E_SET);
	EXPECT_EQ(open_input(SPEC_INPUT_FILE, "/etc/passwd", &roots), FAULT_E_SET);
}

TEST("with no allowed directory at all every confined input is refused")
{
	const struct input_roots roots = {};

	EXPECT_EQ(open_input(SPEC_INPUT_FILE, "/etc/passwd", &roots), FAULT_E_SET);
	EXPECT_HAS(box.fault.reason, "(nothing)");
}

TEARDOWN
{
	BOX_TEARDOWN;
}
