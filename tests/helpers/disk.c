// A disk that keeps a log of what is written to some files, or is full from some moment on; for LD_PRELOAD.
//
// The files are those whose path begins with DISK_FILES. DISK_LOG names the log; DISK_FULL=n lets the n-th write, and
// each after it, fail where it would make a file longer. A new value of DISK_FULL counts from the beginning.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { WRITE = 1, TRUNCATE = 2, SYNC = 3, UNLINK = 4 };

static int is_ours(const char *path) {
    const char *files = getenv("DISK_FILES");
    size_t length = strlen(path);
    // The index of the log of SQLite is shared memory and never read after a loss of power.
    if (length > 4 && strcmp(path + length - 4, "-shm") == 0) return 0;
    return files && strncmp(path, files, strlen(files)) == 0;
}

static int path_of(int fd, char *path, size_t size) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, size - 1);
    if (length < 0) return 0;
    path[length] = 0;
    return is_ours(path);
}

typedef ssize_t (*write_type)(int, const void *, size_t);

static void note(uint32_t what, const char *path, uint64_t at, const void *data, uint64_t size) {
    const char *name = getenv("DISK_LOG");
    if (!name) return;
    write_type real = (write_type)dlsym(RTLD_NEXT, "write");
    int log = open(name, O_WRONLY | O_APPEND | O_CREAT, 0600);
    uint64_t head[4] = {what, strlen(path), at, data ? size : 0};
    if (log < 0 || real(log, head, sizeof head) < 0 || real(log, path, head[1]) < 0 ||
        (data && real(log, data, size) < 0))
        abort();
    close(log);
}

static int is_full(int fd, uint64_t end) {
    static char last[32];
    static long written;
    const char *full = getenv("DISK_FULL");
    if (!full) return 0;
    if (strcmp(last, full) != 0) {
        snprintf(last, sizeof last, "%s", full);
        written = 0;
    }
    struct stat found;
    return ++written >= atol(full) && fstat(fd, &found) == 0 && end > (uint64_t)found.st_size;
}

ssize_t write(int fd, const void *data, size_t size) {
    write_type real = (write_type)dlsym(RTLD_NEXT, "write");
    char path[4096];
    if (!path_of(fd, path, sizeof path)) return real(fd, data, size);
    uint64_t at = lseek(fd, 0, SEEK_CUR);
    if (is_full(fd, at + size)) {
        errno = ENOSPC;
        return -1;
    }
    ssize_t done = real(fd, data, size);
    if (done > 0) note(WRITE, path, at, data, done);
    return done;
}

static ssize_t write_at(const char *name, int fd, const void *data, size_t size, off64_t at) {
    ssize_t (*real)(int, const void *, size_t, off64_t) = dlsym(RTLD_NEXT, name);
    char path[4096];
    if (!path_of(fd, path, sizeof path)) return real(fd, data, size, at);
    if (is_full(fd, at + size)) {
        errno = ENOSPC;
        return -1;
    }
    ssize_t done = real(fd, data, size, at);
    if (done > 0) note(WRITE, path, at, data, done);
    return done;
}

ssize_t pwrite(int fd, const void *data, size_t size, off_t at) { return write_at("pwrite", fd, data, size, at); }

ssize_t pwrite64(int fd, const void *data, size_t size, off64_t at) {
    return write_at("pwrite64", fd, data, size, at);
}

static int truncate_to(const char *name, int fd, off64_t size) {
    int (*real)(int, off64_t) = dlsym(RTLD_NEXT, name);
    char path[4096];
    int done = real(fd, size);
    if (done == 0 && path_of(fd, path, sizeof path)) note(TRUNCATE, path, size, 0, 0);
    return done;
}

int ftruncate(int fd, off_t size) { return truncate_to("ftruncate", fd, size); }

int ftruncate64(int fd, off64_t size) { return truncate_to("ftruncate64", fd, size); }

static int sync_to(const char *name, int fd) {
    int (*real)(int) = dlsym(RTLD_NEXT, name);
    char path[4096];
    if (path_of(fd, path, sizeof path)) note(SYNC, path, 0, 0, 0);
    return real(fd);
}

int fsync(int fd) { return sync_to("fsync", fd); }

int fdatasync(int fd) { return sync_to("fdatasync", fd); }

int unlink(const char *path) {
    int (*real)(const char *) = dlsym(RTLD_NEXT, "unlink");
    int done = real(path);
    if (done == 0 && is_ours(path)) note(UNLINK, path, 0, 0, 0);
    return done;
}
