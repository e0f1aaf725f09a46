#ifndef CMICROHTTPD_SHIM_H
#define CMICROHTTPD_SHIM_H
#include <microhttpd.h>

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

static inline int gem_mhd_queue(struct MHD_Connection *connection, unsigned int status, struct MHD_Response *response) {
  return MHD_queue_response(connection, status, response) == MHD_YES;
}

static inline struct MHD_OptionItem gem_mhd_option(enum MHD_OPTION option, intptr_t value, void *pointer) {
  struct MHD_OptionItem item = {option, value, pointer};
  return item;
}

static inline int gem_mhd_is_started(enum MHD_ConnectionNotificationCode code) {
  return code == MHD_CONNECTION_NOTIFY_STARTED;
}

#define GEM_MHD_FLAGS                                                                                              \
  (MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_AUTO | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ITC)

static const unsigned int gem_mhd_flags = GEM_MHD_FLAGS;
static const unsigned int gem_mhd_tls = MHD_USE_TLS;
static const uint64_t gem_mhd_size_unknown = MHD_SIZE_UNKNOWN;
static const ssize_t gem_mhd_end_of_stream = MHD_CONTENT_READER_END_OF_STREAM;
#endif
