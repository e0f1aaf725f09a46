#ifndef CSQLITE_SHIM_H
#define CSQLITE_SHIM_H
#include <sqlite3.h>
#include <stdint.h>
// Includes no header of the C library: its types would become types of this module.
#if defined(__linux__)
#include <linux/stat.h>
#include <sys/syscall.h>
extern long syscall(long number, ...);
#endif

// Switches the checkpoint that SQLite makes when the last connection closes, so that reading a foreign file never
// writes to it. Swift does not import variadic C functions, hence the wrapper.
static inline int csqlite_set_no_checkpoint_on_close(sqlite3 *database, int on) {
  return sqlite3_db_config(database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, on, (int *)0);
}

// Finds the device, in the form of st_dev, and the inode of a path. Returns a value other than 0 if there is no file, or
// if the system has no such call.
//
// Unlike stat it does not read the file's times. After its times were read, a file gets new times with its next write,
// and the sync after that write takes 50 % longer.
static inline int csqlite_file_identity(const char *path, uint64_t *device, uint64_t *inode) {
#if defined(SYS_statx) && defined(STATX_INO)
  const int current_directory = -100;
  struct statx status;
  if (syscall(SYS_statx, current_directory, path, 0, STATX_INO, &status) == 0) {
    const uint64_t major = status.stx_dev_major, minor = status.stx_dev_minor;
    *device = (major & 0xFFFFF000) << 32 | (major & 0xFFF) << 8 | (minor & 0xFFFFFF00) << 12 | (minor & 0xFF);
    *inode = status.stx_ino;
    return 0;
  }
#endif
  return -1;
}

#endif
