#ifndef CSQLITE_SHIM_H
#define CSQLITE_SHIM_H
#include <sqlite3.h>

// Variadic C functions are not imported into Swift, hence this wrapper: it switches the checkpoint that SQLite makes
// when the last connection closes, so that looking at a foreign file never writes to it.
static inline int csqlite_set_no_checkpoint_on_close(sqlite3 *database, int on) {
  return sqlite3_db_config(database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, on, (int *)0);
}

#endif
