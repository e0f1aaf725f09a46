#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// A shell command under way, with a text for its standard input.
struct ShellProcess: ~Copyable {
  private let id: pid_t
  private var input: ArraySlice<UInt8>
  private var pipe: Int32

  /// Starts the command; nil if that fails.
  init?(_ command: String, input: String) {
    var ends: [Int32] = [0, 0]
    guard Self.pipe(&ends) else { return nil }
    defer { close(ends[0]) }
    guard let id = Self.start(command, reading: ends) else {
      close(ends[1])
      return nil
    }
    // A command that does not read must not keep this process waiting.
    _ = fcntl(ends[1], F_SETFL, fcntl(ends[1], F_GETFL) | O_NONBLOCK)
    self.id = id
    self.input = Array(input.utf8)[...]
    pipe = ends[1]
  }

  deinit { if pipe >= 0 { close(pipe) } }

  /// Writes more of the input; returns whether the command succeeded, or nil while it runs.
  mutating func poll() -> Bool? {
    feed()
    var status: Int32 = 0
    let ended = waitpid(id, &status, WNOHANG)
    if ended == id { return status == 0 }
    // Another wait took its status: nothing is known, so nothing is confirmed.
    return ended == -1 && errno != EINTR ? false : nil
  }

  func kill() {
    var status: Int32 = 0
    #if canImport(Darwin)
    Darwin.kill(id, SIGKILL)
    #else
    Glibc.kill(id, SIGKILL)
    #endif
    waitpid(id, &status, 0)
  }

  private mutating func feed() {
    while pipe >= 0 {
      let count = input.withUnsafeBytes { write(pipe, $0.baseAddress, $0.count) }
      if count < 0, errno == EAGAIN || errno == EINTR { return }
      input = input.dropFirst(max(0, count))
      if count < 0 || input.isEmpty {
        close(pipe)
        pipe = -1
      }
    }
  }

  private static func pipe(_ ends: inout [Int32]) -> Bool {
    #if canImport(Darwin)
    Darwin.pipe(&ends) == 0
    #else
    Glibc.pipe(&ends) == 0
    #endif
  }

  private static func start(_ command: String, reading ends: [Int32]) -> pid_t? {
    #if canImport(Darwin)
    var actions: posix_spawn_file_actions_t?
    var attributes: posix_spawnattr_t?
    #else
    var actions = posix_spawn_file_actions_t()
    var attributes = posix_spawnattr_t()
    #endif
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO)
    posix_spawn_file_actions_addclose(&actions, ends[0])
    posix_spawn_file_actions_addclose(&actions, ends[1])
    // Standard output is reserved for the verb's answer.
    posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO)
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // This process ignores some signals, and the command shall not.
    var signals = sigset_t()
    sigemptyset(&signals)
    for signal in [SIGPIPE, SIGINT, SIGTERM] { sigaddset(&signals, signal) }
    posix_spawnattr_setsigdefault(&attributes, &signals)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))
    var arguments: [UnsafeMutablePointer<CChar>?] = []
    for word in ["/bin/sh", "-c", command] { arguments.append(strdup(word)) }
    arguments.append(nil)
    defer { for argument in arguments { free(argument) } }
    var id: pid_t = 0
    return posix_spawn(&id, "/bin/sh", &actions, &attributes, &arguments, environ) == 0 ? id : nil
  }
}
