/* What a disk would hold after a power cut: a library for LD_PRELOAD that keeps an image of each file as it was when it,
   or a part of it, was last synced. Images are in the folder that HOLON_DISK_IMAGE names, under the files' names; only
   files in the folder that HOLON_DISK_OF names have one. Nothing is synced for good: it would only take time. With
   HOLON_DISK_PLAIN in the environment, these files cannot be mapped, and no space can be reserved for them. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { pieces = 1 << 16, mappings = 64 };

static struct {
    char* begin;
    int file;
    off_t offset;
} mapped[mappings];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* The image's path; 0, if the file is to have none. */
static int image_of(const char* path, char* image)
{
    const char *of = getenv("HOLON_DISK_OF"), *folder = getenv("HOLON_DISK_IMAGE");
    const char* name = strrchr(path, '/');
    return of && folder && name && strlen(of) == (size_t)(name - path) && strncmp(of, path, (size_t)(name - path)) == 0 &&
           snprintf(image, PATH_MAX, "%s%s", folder, name) < PATH_MAX;
}

/* Likewise of an open file; `path`: the file's. */
static int image_of_open(int file, char* path, char* image)
{
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    const ssize_t n = readlink(link, path, PATH_MAX - 1);
    if (n < 0) return 0;
    path[n] = 0;
    return image_of(path, image);
}

static int is_plain(int file)
{
    char path[PATH_MAX], image[PATH_MAX];
    return file >= 0 && getenv("HOLON_DISK_PLAIN") && image_of_open(file, path, image);
}

/* Copies a part of a file into its image; length < 0: all of it, which gets its length, too. */
static void keep(int file, off_t offset, off_t length)
{
    char path[PATH_MAX], image[PATH_MAX], bytes[pieces];
    if (!image_of_open(file, path, image)) return;
    const int to = open(image, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    struct stat status;
    if (to < 0 || fstat(file, &status) != 0) abort();
    if (length < 0) length = status.st_size;
    for (off_t at = offset; at < offset + length && at < status.st_size;) {
        const off_t left = offset + length - at;
        const ssize_t read = pread(file, bytes, left < pieces ? (size_t)left : pieces, at);
        if (read <= 0) break;
        if (pwrite(to, bytes, (size_t)read, at) != read) abort();
        at += read;
    }
    close(to);
}

int fdatasync(int file)
{
    keep(file, 0, -1);
    return 0;
}

int fsync(int file)
{
    struct stat status;
    if (fstat(file, &status) == 0 && S_ISREG(status.st_mode)) keep(file, 0, -1);
    return 0;
}

void* mmap(void* where, size_t length, int protection, int flags, int file, off_t offset)
{
    static void* (*real)(void*, size_t, int, int, int, off_t);
    if (!real) real = (void* (*)(void*, size_t, int, int, int, off_t))dlsym(RTLD_NEXT, "mmap");
    if ((flags & MAP_SHARED) && is_plain(file)) {
        errno = ENODEV;
        return MAP_FAILED;
    }
    void* const memory = real(where, length, protection, flags, file, offset);
    pthread_mutex_lock(&lock);
    for (int k = 0; file >= 0 && (flags & MAP_SHARED) && memory != MAP_FAILED && k < mappings; ++k)
        if (!mapped[k].begin) {
            mapped[k].begin = memory;
            mapped[k].file = file;
            mapped[k].offset = offset;
            break;
        }
    pthread_mutex_unlock(&lock);
    return memory;
}

int posix_fallocate(int file, off_t offset, off_t length)
{
    static int (*real)(int, off_t, off_t);
    if (!real) real = (int (*)(int, off_t, off_t))dlsym(RTLD_NEXT, "posix_fallocate");
    return is_plain(file) ? EOPNOTSUPP : real(file, offset, length);
}

int munmap(void* begin, size_t length)
{
    static int (*real)(void*, size_t);
    if (!real) real = (int (*)(void*, size_t))dlsym(RTLD_NEXT, "munmap");
    pthread_mutex_lock(&lock);
    for (int k = 0; k < mappings; ++k)
        if (mapped[k].begin == (char*)begin) mapped[k].begin = 0;
    const int status = real(begin, length);
    pthread_mutex_unlock(&lock);
    return status;
}

int msync(void* begin, size_t length, int flags)
{
    (void)flags;
    pthread_mutex_lock(&lock);
    int k = 0;
    while (k < mappings && mapped[k].begin != (char*)begin) ++k;
    const int file = k < mappings ? mapped[k].file : -1;
    const off_t offset = k < mappings ? mapped[k].offset : 0;
    pthread_mutex_unlock(&lock);
    if (file < 0) abort(); /* an image would be older than the disk */
    keep(file, offset, (off_t)length);
    return 0;
}

int rename(const char* from, const char* to)
{
    static int (*real)(const char*, const char*);
    if (!real) real = (int (*)(const char*, const char*))dlsym(RTLD_NEXT, "rename");
    char image[PATH_MAX], renamed[PATH_MAX], whole_from[PATH_MAX], whole_to[PATH_MAX];
    if (realpath(from, whole_from) && image_of(whole_from, image)) {
        const int status = real(from, to);
        if (status == 0 && realpath(to, whole_to) && image_of(whole_to, renamed)) real(image, renamed);
        return status;
    }
    return real(from, to);
}
