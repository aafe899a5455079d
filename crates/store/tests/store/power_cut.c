/* Loaded into a child of a test before libc: makes the disk forget, or fail.
 *
 * ROOKERY_SHADOW=DIR   whenever a file is brought to the disk, a copy of it is put into DIR: what a power cut would leave
 *                      if nothing else had reached the disk.
 * ROOKERY_KILL_AT=N    the process is killed when it brings something to the disk for the Nth time, before it does.
 * ROOKERY_FAIL=FILE    while FILE exists, bringing anything to the disk fails with EIO; if FILE is empty, only once. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int fails(void) {
    const char *file = getenv("ROOKERY_FAIL");
    struct stat found;
    if (!file || stat(file, &found) != 0)
        return 0;
    if (found.st_size == 0)
        unlink(file);
    return 1;
}

static int keep(int fd) {
    const char *folder = getenv("ROOKERY_SHADOW");
    char link[64], path[4096], copy[4096], named[4096];
    struct stat found;
    if (!folder || fstat(fd, &found) != 0 || !S_ISREG(found.st_mode))
        return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0)
        return -1;
    path[length] = 0;
    const char *base = strrchr(path, '/') + 1;
    snprintf(copy, sizeof copy, "%s/%s.half", folder, base);
    snprintf(named, sizeof named, "%s/%s", folder, base);
    int from = open(path, O_RDONLY | O_CLOEXEC);
    int to = open(copy, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    char bytes[65536];
    ssize_t n;
    while ((n = read(from, bytes, sizeof bytes)) > 0)
        if (write(to, bytes, n) != n)
            return -1;
    close(from);
    close(to);
    return rename(copy, named);
}

static void count(void) {
    static int calls;
    const char *last = getenv("ROOKERY_KILL_AT");
    if (last && __sync_add_and_fetch(&calls, 1) == atoi(last))
        kill(getpid(), SIGKILL);
}

static int sync_by(const char *name, int fd) {
    count();
    if (fails()) {
        errno = EIO;
        return -1;
    }
    int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, name);
    int result = real(fd);
    return result == 0 ? keep(fd) : result;
}

int fsync(int fd) { return sync_by("fsync", fd); }
int fdatasync(int fd) { return sync_by("fdatasync", fd); }
