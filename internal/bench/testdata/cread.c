/* cread DIR [THREADS] reads every file below DIR and throws the bytes away.
 *
 * It makes the fewest system calls that a safe reader needs: openat, getdents,
 * and for each file openat, fstat, read, close; no link is followed. So its time
 * is what the file system alone costs, and nothing that reads the same tree can
 * be faster. The threads share the entries of DIR; it prints files and bytes.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { BATCH = 16, LISTING = 32 * 1024, CONTENT = 4 * 1024 * 1024, MAX_THREADS = 64 };

/* What getdents64 returns. */
struct entry {
	unsigned long inode;
	long offset;
	unsigned short length;
	unsigned char type;
	char name[];
};

static int top;
static char **names;
static size_t count;
static atomic_size_t next_name;
static atomic_long files, bytes;

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

static void read_file(int dir, const char *name, char *content)
{
	int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;
	if (fd < 0 || fstat(fd, &st) != 0)
		fail(name);
	if (st.st_size > CONTENT) {
		fprintf(stderr, "%s: larger than the buffer\n", name);
		exit(1);
	}
	long n = read(fd, content, st.st_size);
	if (n != st.st_size)
		fail(name);
	close(fd);
	atomic_fetch_add(&files, 1);
	atomic_fetch_add(&bytes, n);
}

static void read_directory(int parent, const char *name, char *content)
{
	char listing[LISTING];
	int dir = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (dir < 0)
		fail(name);
	long n;
	while ((n = syscall(SYS_getdents64, dir, listing, sizeof listing)) > 0) {
		for (long at = 0; at < n;) {
			struct entry *e = (struct entry *)(listing + at);
			at += e->length;
			if (strcmp(e->name, ".") == 0 || strcmp(e->name, "..") == 0)
				continue;
			if (e->type == DT_DIR)
				read_directory(dir, e->name, content);
			else if (e->type == DT_REG)
				read_file(dir, e->name, content);
		}
	}
	if (n < 0)
		fail(name);
	close(dir);
}

static void *work(void *unused)
{
	(void)unused;
	char *content = malloc(CONTENT);
	if (content == NULL)
		fail("malloc");
	for (;;) {
		size_t from = atomic_fetch_add(&next_name, BATCH);
		for (size_t i = from; i < from + BATCH && i < count; i++)
			read_directory(top, names[i], content);
		if (from + BATCH >= count)
			break;
	}
	free(content);
	return NULL;
}

static void list_top(const char *path)
{
	size_t room = 0;
	DIR *d = opendir(path);
	if (d == NULL)
		fail(path);
	for (struct dirent *e; (e = readdir(d)) != NULL;) {
		if (e->d_name[0] == '.' || e->d_type != DT_DIR)
			continue;
		if (count == room) {
			room = room == 0 ? 1024 : 2 * room;
			names = realloc(names, room * sizeof *names);
			if (names == NULL)
				fail("realloc");
		}
		if ((names[count++] = strdup(e->d_name)) == NULL)
			fail("strdup");
	}
	closedir(d);
}

int main(int argc, char **argv)
{
	int threads = argc > 2 ? atoi(argv[2]) : 1;
	pthread_t thread[MAX_THREADS];
	if (argc < 2 || threads < 1 || threads > MAX_THREADS) {
		fprintf(stderr, "usage: cread DIR [THREADS]\n");
		return 2;
	}
	if ((top = open(argv[1], O_RDONLY | O_DIRECTORY | O_CLOEXEC)) < 0)
		fail(argv[1]);
	list_top(argv[1]);
	for (int i = 0; i < threads; i++)
		if (pthread_create(&thread[i], NULL, work, NULL) != 0)
			fail("pthread_create");
	for (int i = 0; i < threads; i++)
		pthread_join(thread[i], NULL);
	printf("%ld files, %ld bytes\n", atomic_load(&files), atomic_load(&bytes));
	return 0;
}
