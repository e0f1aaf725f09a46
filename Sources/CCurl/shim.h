#ifndef CCURL_SHIM_H
#define CCURL_SHIM_H
#include <curl/curl.h>

// Swift imports no variadic functions.

static inline CURLcode gem_curl_set_long(CURL *handle, CURLoption option, long value) {
  return curl_easy_setopt(handle, option, value);
}

static inline CURLcode gem_curl_set_pointer(CURL *handle, CURLoption option, const void *value) {
  return curl_easy_setopt(handle, option, value);
}

typedef size_t (*gem_curl_callback)(char *bytes, size_t size, size_t count, void *context);

static inline CURLcode gem_curl_set_callback(CURL *handle, CURLoption option, gem_curl_callback callback) {
  return curl_easy_setopt(handle, option, callback);
}

static inline CURLcode gem_curl_status(CURL *handle, long *status) {
  return curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, status);
}
#endif
