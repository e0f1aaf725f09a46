#ifndef CPOSTGRESQL_SHIM_H
#define CPOSTGRESQL_SHIM_H
// Debian has a folder for it.
#if __has_include(<postgresql/libpq-fe.h>)
#include <postgresql/libpq-fe.h>
#else
#include <libpq-fe.h>
#endif
#endif
