/* Lets the n-th system call of an armed thread fail, from it on or alone: see io_faults.py. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

static __thread int armed, left, error_number, sticky, calls, short_write;
static __thread char last[32];

void fault_arm(int n, int error, int from_there_on, int partly)
{
    armed = 1, left = n, error_number = error, sticky = from_there_on, short_write = partly, calls = 0, last[0] = 0;
}

int fault_disarm(void)
{
    armed = 0;
    return calls;
}

const char *fault_last(void) { return last; }

/* 1 when this call is to fail. */
static int fails(const char *name)
{
    if (!armed)
        return 0;
    calls++;
    if (left == 0 || --left > 0)
        return 0;
    if (sticky)
        left = 1;
    if (!last[0])
        snprintf(last, sizeof last, "%s", name);
    errno = error_number;
    return 1;
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))
#define WRAP(type, name, parameters, arguments) \
    type name parameters                        \
    {                                           \
        if (fails(#name))                       \
            return (type)-1;                    \
        return REAL(name) arguments;            \
    }

WRAP(int, fsync, (int d), (d))
WRAP(int, fdatasync, (int d), (d))
WRAP(int, rename, (const char *a, const char *b), (a, b))
WRAP(int, unlink, (const char *p), (p))
WRAP(int, mkdir, (const char *p, mode_t m), (p, m))
WRAP(int, rmdir, (const char *p), (p))
WRAP(int, chmod, (const char *p, mode_t m), (p, m))
WRAP(int, fchmod, (int d, mode_t m), (d, m))
WRAP(int, fchown, (int d, uid_t u, gid_t g), (d, u, g))
WRAP(ssize_t, read, (int d, void *b, size_t n), (d, b, n))
WRAP(ssize_t, readlink, (const char *p, char *b, size_t n), (p, b, n))
WRAP(int, access, (const char *p, int m), (p, m))
WRAP(int, stat, (const char *p, struct stat *s), (p, s))
WRAP(int, stat64, (const char *p, struct stat64 *s), (p, s))
WRAP(int, lstat, (const char *p, struct stat *s), (p, s))
WRAP(int, lstat64, (const char *p, struct stat64 *s), (p, s))
WRAP(int, fstat, (int d, struct stat *s), (d, s))
WRAP(int, fstat64, (int d, struct stat64 *s), (d, s))
WRAP(off_t, lseek, (int d, off_t o, int w), (d, o, w))
WRAP(off64_t, lseek64, (int d, off64_t o, int w), (d, o, w))

/* A descriptor is closed whatever close says. */
int close(int d)
{
    int failing = fails("close"), error = errno, result = REAL(close)(d);
    if (!failing)
        return result;
    errno = error;
    return -1;
}

ssize_t write(int d, const void *b, size_t n)
{
    if (fails("write")) {
        if (!short_write || n < 2)
            return -1;
        return REAL(write)(d, b, n / 2);
    }
    return REAL(write)(d, b, n);
}

#define OPEN(name)                                      \
    int name(const char *p, int flags, ...)             \
    {                                                   \
        va_list more;                                   \
        va_start(more, flags);                          \
        mode_t mode = va_arg(more, mode_t);             \
        va_end(more);                                   \
        if (fails(#name))                               \
            return -1;                                  \
        return REAL(name)(p, flags, mode);              \
    }

OPEN(open)
OPEN(open64)
