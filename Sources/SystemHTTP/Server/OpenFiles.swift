#if Server
#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// The process's limit of open files; each connection is an open file.
package enum OpenFiles {
  /// Raises the limit as far as the system allows.
  ///
  /// - Returns: The new limit.
  @discardableResult
  package static func raiseLimit() -> Int {
    var limit = rlimit()
    #if canImport(Darwin)
    let kind = RLIMIT_NOFILE
    #else
    let kind = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #endif
    guard getrlimit(kind, &limit) == 0 else { return 256 }
    var raised = limit
    raised.rlim_cur = limit.rlim_max
    if setrlimit(kind, &raised) == 0 { limit = raised }
    return Int(clamping: limit.rlim_cur)
  }
}
#endif
