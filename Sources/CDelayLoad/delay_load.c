#include "CDelayLoad.h"
#include <stddef.h>

// The condition is repeated in Package.swift, which links the libraries elsewhere.
#if defined(__linux__) && (defined(__x86_64__) || defined(__aarch64__))
#include "functions.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

// MARK: Libraries

struct library {
  // File names to try, for one binary interface: that of the headers.
  const char *files[2];
  const char *name, *package;
};

static const struct library libraries[] = {
    [GEM_LIBPQ] = {{"libpq.so.5"}, "PostgreSQL's client library", "libpq5"},
    [GEM_LIBCURL] = {{"libcurl.so.4", "libcurl-gnutls.so.4"}, "libcurl", "libcurl4"},
    [GEM_LIBMICROHTTPD] = {{"libmicrohttpd.so.12"}, "GNU libmicrohttpd", "libmicrohttpd12"},
    [GEM_LIBCRYPTO] = {{"libcrypto.so.3"}, "OpenSSL's libcrypto", "libssl3"},
};

static void *handles[sizeof libraries / sizeof *libraries];
static _Thread_local char problem[1024];

const char *gem_load_library(enum gem_library number) {
  if (__atomic_load_n(&handles[number], __ATOMIC_ACQUIRE) != NULL) return NULL;
  const struct library *library = &libraries[number];
  for (size_t i = 0; i < sizeof library->files / sizeof *library->files && library->files[i] != NULL; i++) {
    // Two threads at once receive the same handle. It stays open until the process ends.
    void *handle = dlopen(library->files[i], RTLD_LAZY | RTLD_LOCAL);
    if (handle != NULL) {
      __atomic_store_n(&handles[number], handle, __ATOMIC_RELEASE);
      return NULL;
    }
    if (i == 0) {
      snprintf(problem, sizeof problem, "%s cannot be loaded: %s. Install it, for example: sudo apt install %s.",
               library->name, dlerror(), library->package);
    }
  }
  return problem;
}

// MARK: Functions

#define HIDDEN __attribute__((visibility("hidden")))

// A function's address: at first that of gem_bind, which finds the function.
struct delayed {
  void *address;
  const char *name;
  enum gem_library library;
};

HIDDEN __attribute__((used)) void *gem_find(struct delayed *function) {
  const char *reason = gem_load_library(function->library);
  void *address = reason == NULL ? dlsym(handles[function->library], function->name) : NULL;
  if (address == NULL) {
    fprintf(stderr, "fatal: %s\n", reason == NULL ? dlerror() : reason);
    abort();
  }
  __atomic_store_n(&function->address, address, __ATOMIC_RELEASE);
  return address;
}

// Passes a call to the address, with the record in a register that no function expects an argument in.
//
// gem_bind keeps the registers of arguments while it finds the address. None of the functions takes floating-point
// numbers. The symbols are hidden, so that the loaded libraries do not find them in place of their functions.
#if defined(__x86_64__)
#define JUMP(name) "leaq gem_delayed_" name "(%rip), %r11\n jmpq *(%r11)\n"
#define BIND                                                                                                        \
  "pushq %rax\n pushq %rdi\n pushq %rsi\n pushq %rdx\n pushq %rcx\n pushq %r8\n pushq %r9\n"                        \
  "movq %r11, %rdi\n callq gem_find\n movq %rax, %r11\n"                                                            \
  "popq %r9\n popq %r8\n popq %rcx\n popq %rdx\n popq %rsi\n popq %rdi\n popq %rax\n jmpq *%r11\n"
#else
#define JUMP(name)                                                                                                  \
  "adrp x16, gem_delayed_" name "\n add x16, x16, :lo12:gem_delayed_" name "\n ldr x17, [x16]\n br x17\n"
#define BIND                                                                                                        \
  "stp x29, x30, [sp, #-96]!\n stp x0, x1, [sp, #16]\n stp x2, x3, [sp, #32]\n stp x4, x5, [sp, #48]\n"             \
  "stp x6, x7, [sp, #64]\n str x8, [sp, #80]\n mov x0, x16\n bl gem_find\n mov x16, x0\n"                           \
  "ldr x8, [sp, #80]\n ldp x6, x7, [sp, #64]\n ldp x4, x5, [sp, #48]\n ldp x2, x3, [sp, #32]\n"                     \
  "ldp x0, x1, [sp, #16]\n ldp x29, x30, [sp], #96\n br x16\n"
#endif

#define ENTRY(name, code)                                                                                           \
  __asm__(".text\n .balign 16\n .globl " name "\n .hidden " name "\n .type " name ", %function\n" name ":\n" code   \
          ".size " name ", . - " name "\n")

ENTRY("gem_bind", BIND);
extern char gem_bind[] HIDDEN;

#define DELAY(name, library)                                                                                        \
  HIDDEN __attribute__((used)) struct delayed gem_delayed_##name = {gem_bind, #name, library};                      \
  ENTRY(#name, JUMP(#name));
#define DELAY_LIBPQ(name) DELAY(name, GEM_LIBPQ)
#define DELAY_LIBCURL(name) DELAY(name, GEM_LIBCURL)
#define DELAY_LIBMICROHTTPD(name) DELAY(name, GEM_LIBMICROHTTPD)
#define DELAY_LIBCRYPTO(name) DELAY(name, GEM_LIBCRYPTO)

GEM_LIBPQ_FUNCTIONS(DELAY_LIBPQ)
GEM_LIBCURL_FUNCTIONS(DELAY_LIBCURL)
GEM_LIBMICROHTTPD_FUNCTIONS(DELAY_LIBMICROHTTPD)
GEM_LIBCRYPTO_FUNCTIONS(DELAY_LIBCRYPTO)
#else
const char *gem_load_library(enum gem_library library) {
  (void)library;
  return NULL;
}
#endif
