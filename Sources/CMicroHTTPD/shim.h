#ifndef CMICROHTTPD_SHIM_H
#define CMICROHTTPD_SHIM_H
#include <microhttpd.h>
#ifdef __linux__
// For the load generator of the benchmarks, which waits as the library does; Swift's C library module omits it.
#include <sys/epoll.h>
#endif

// Swift imports no variadic functions, and the enumerations differ between 0.9.75 and 1.0.

static inline struct MHD_Daemon *gem_mhd_start(unsigned int flags, MHD_AccessHandlerCallback handler, void *context,
                                               struct MHD_OptionItem *options) {
  return MHD_start_daemon(flags, 0, NULL, NULL, handler, context, MHD_OPTION_ARRAY, options, MHD_OPTION_END);
}

static inline int gem_mhd_socket(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  return info == NULL ? -1 : (int) info->connect_fd;
}

static inline const struct sockaddr *gem_mhd_client(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
  return info == NULL ? NULL : info->client_addr;
}

/// Returns the size of the request's head in bytes, including its final empty line.
static inline size_t gem_mhd_head_size(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
  return info == NULL ? 0 : info->header_size;
}

/// Returns the server's context of a connection.
static inline void *gem_mhd_connection_context(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
  return info == NULL ? NULL : info->socket_context;
}

static inline int gem_mhd_queue(struct MHD_Connection *connection, unsigned int status, struct MHD_Response *response) {
  return MHD_queue_response(connection, status, response) == MHD_YES;
}

static inline struct MHD_OptionItem gem_mhd_option(int option, intptr_t value, void *pointer) {
  struct MHD_OptionItem item = {(enum MHD_OPTION) option, value, pointer};
  return item;
}

static inline int gem_mhd_is_started(enum MHD_ConnectionNotificationCode code) {
  return code == MHD_CONNECTION_NOTIFY_STARTED;
}

static inline void gem_mhd_fields(struct MHD_Connection *connection, MHD_KeyValueIterator iterator, void *context) {
  MHD_get_connection_values(connection, MHD_HEADER_KIND, iterator, context);
}

static inline struct MHD_Response *gem_mhd_response(size_t count, const void *bytes) {
  return MHD_create_response_from_buffer(count, (void *) bytes, MHD_RESPMEM_MUST_COPY);
}

static inline void gem_mhd_add_field(struct MHD_Response *response, const char *name, const char *value) {
  MHD_add_response_header(response, name, value);
}

static inline uint16_t gem_mhd_port(struct MHD_Daemon *daemon) {
  const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_BIND_PORT);
  return info == NULL ? 0 : info->port;
}

static const enum MHD_Result gem_mhd_yes = MHD_YES;
static const enum MHD_Result gem_mhd_no = MHD_NO;

static const int gem_mhd_option_end = MHD_OPTION_END;
static const int gem_mhd_option_connection_limit = MHD_OPTION_CONNECTION_LIMIT;
static const int gem_mhd_option_connection_timeout = MHD_OPTION_CONNECTION_TIMEOUT;
static const int gem_mhd_option_memory_limit = MHD_OPTION_CONNECTION_MEMORY_LIMIT;
static const int gem_mhd_option_strict = MHD_OPTION_STRICT_FOR_CLIENT;
static const int gem_mhd_option_uri_log = MHD_OPTION_URI_LOG_CALLBACK;
static const int gem_mhd_option_unescape = MHD_OPTION_UNESCAPE_CALLBACK;
static const int gem_mhd_option_completed = MHD_OPTION_NOTIFY_COMPLETED;
static const int gem_mhd_option_connection = MHD_OPTION_NOTIFY_CONNECTION;
static const int gem_mhd_option_tls_key = MHD_OPTION_HTTPS_MEM_KEY;
static const int gem_mhd_option_tls_certificate = MHD_OPTION_HTTPS_MEM_CERT;
static const int gem_mhd_option_tls_priorities = MHD_OPTION_HTTPS_PRIORITIES;

#define GEM_MHD_FLAGS                                                                                              \
  (MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_AUTO | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ITC)

static const unsigned int gem_mhd_flags = GEM_MHD_FLAGS;
static const unsigned int gem_mhd_tls = MHD_USE_TLS;
static const unsigned int gem_mhd_no_listening = MHD_USE_NO_LISTEN_SOCKET;
static const uint64_t gem_mhd_size_unknown = MHD_SIZE_UNKNOWN;
static const ssize_t gem_mhd_end_of_stream = MHD_CONTENT_READER_END_OF_STREAM;
static const ssize_t gem_mhd_end_with_error = MHD_CONTENT_READER_END_WITH_ERROR;
#endif
