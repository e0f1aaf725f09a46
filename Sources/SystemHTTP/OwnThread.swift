#if Server
#if canImport(Darwin)
private import Darwin
#elseif canImport(Musl)
private import Musl
#else
private import Glibc
#endif

/// A thread for work that waits for long, such as for a slow reader: it takes no thread of a shared pool.
package enum OwnThread {
  /// Runs the work on a new thread, or on this thread if the system has no more.
  package static func run(_ work: @escaping @Sendable () -> Void) {
    let body = Unmanaged.passRetained(ThreadBody(work)).toOpaque()
    #if canImport(Darwin)
    var thread: pthread_t?
    let result = pthread_create(&thread, nil, { runThreadBody($0) }, body)
    if result == 0, let thread { pthread_detach(thread) } else { _ = runThreadBody(body) }
    #else
    var thread = pthread_t()
    let result = pthread_create(&thread, nil, { runThreadBody($0) }, body)
    if result == 0 { pthread_detach(thread) } else { _ = runThreadBody(body) }
    #endif
  }
}

private final class ThreadBody {
  let run: () -> Void
  init(_ run: @escaping () -> Void) { self.run = run }
}

private func runThreadBody(_ body: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  if let body { Unmanaged<ThreadBody>.fromOpaque(body).takeRetainedValue().run() }
  return nil
}
#endif
