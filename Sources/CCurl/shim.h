#ifndef CCURL_SHIM_H
#define CCURL_SHIM_H
#include <curl/curl.h>

// Swift imports no variadic functions.

static inline CURLcode gem_curl_set_long(CURL *handle, CURLoption option, long value) {
  return curl_easy_setopt(handle, option, value);
}

static inline CURLcode gem_curl_set_text(CURL *handle, CURLoption option, const char *value) {
  return curl_easy_setopt(handle, option, value);
}

static inline CURLcode gem_curl_set_pointer(CURL *handle, CURLoption option, const void *value) {
  return curl_easy_setopt(handle, option, value);
}

typedef size_t (*gem_curl_callback)(char *bytes, size_t size, size_t count, void *context);

static inline CURLcode gem_curl_set_callback(CURL *handle, CURLoption option, gem_curl_callback callback) {
  return curl_easy_setopt(handle, option, callback);
}

// Older releases accept the protocols only as a bit set, which newer releases deprecate.
static inline CURLcode gem_curl_set_web_only(CURL *handle) {
#if LIBCURL_VERSION_NUM >= 0x075500
  return curl_easy_setopt(handle, CURLOPT_PROTOCOLS_STR, "http,https");
#else
  return curl_easy_setopt(handle, CURLOPT_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
#endif
}

static inline CURLcode gem_curl_init(void) { return curl_global_init(CURL_GLOBAL_DEFAULT); }

static inline CURLcode gem_curl_status(CURL *handle, long *status) {
  return curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, status);
}

// Returns the number of request bytes sent from this machine.
static inline CURLcode gem_curl_sent_count(CURL *handle, long *count) {
  return curl_easy_getinfo(handle, CURLINFO_REQUEST_SIZE, count);
}
#endif
