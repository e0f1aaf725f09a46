#ifndef GEM_DELAY_LOAD_H
#define GEM_DELAY_LOAD_H

/// The libraries that a process loads with the first call of one of their functions.
///
/// Most runs of gemctl call none of them. Loading all four, with the thirty libraries that they need, took longer than
/// the rest of a start.
enum gem_library { GEM_LIBPQ, GEM_LIBCURL, GEM_LIBMICROHTTPD, GEM_LIBCRYPTO };

/// Loads a library before its first call; a call of a function of a library that cannot be loaded ends the process.
///
/// Returns NULL, or the reason for a failure and the remedy, which are valid until the thread's next call.
///
/// Does nothing on systems where the libraries are linked.
const char *gem_load_library(enum gem_library library);
#endif
