internal import GemLedger

#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// The process that holds the lock of a file, which only Linux reports.
struct LockHolder: Equatable {
  let process: Int64
  /// The program's name, if the process may be inspected.
  let name: String?
  let isStopped: Bool

  init(process: Int64, name: String? = nil, isStopped: Bool = false) {
    self.process = process
    self.name = name
    self.isStopped = isStopped
  }

  init?(device: UInt64, inode: UInt64) {
    guard let process = Self.process(in: Self.text("/proc/locks"), device: device, inode: inode) else { return nil }
    let status = Self.text("/proc/\(process)/stat")
    // The process that locked the file may have ended while a child process has it open.
    guard !status.isEmpty else { return nil }
    self.init(process: process, status: status)
  }

  /// - Parameter status: The system's status line of the process, such as `1234 (gemctl) T 1 …`.
  init(process: Int64, status: String) {
    guard let start = status.firstIndex(of: "("), let end = status.lastIndex(of: ")"), start < end else {
      self.init(process: process)
      return
    }
    let state = status[status.index(after: end)...].drop { $0 == " " }.first
    self.init(
      process: process, name: String(status[status.index(after: start)..<end]), isStopped: state == "T" || state == "t")
  }

  /// Finds the file in a list with lines such as `1: FLOCK  ADVISORY  WRITE 1234 fe:00:16220276 0 EOF`.
  static func process(in list: String, device: UInt64, inode: UInt64) -> Int64? {
    // The numbers are packed as in the C library.
    let major = (device >> 8 & 0xFFF) | (device >> 32 & ~0xFFF)
    let minor = (device & 0xFF) | (device >> 12 & ~0xFF)
    for line in list.split(separator: "\n") {
      let words = line.split(separator: " ")
      guard words.count >= 6, words[1] == "FLOCK" else { continue }
      let file = words[5].split(separator: ":")
      guard file.count == 3, UInt64(file[0], radix: 16) == major, UInt64(file[1], radix: 16) == minor,
        UInt64(file[2]) == inode, let process = Int64(words[4]), process > 0
      else { continue }
      return process
    }
    return nil
  }

  /// Returns a whole small file of the system; empty if it cannot be read.
  private static func text(_ path: String) -> String {
    let descriptor = SystemCall.retrying { open(path, O_RDONLY | O_CLOEXEC) }
    guard descriptor >= 0 else { return "" }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 16 << 10)
    // The size is bounded, because the text is only for a message.
    while bytes.count < 1 << 20 {
      let count = chunk.withUnsafeMutableBytes { buffer in
        SystemCall.retrying { read(descriptor, buffer.baseAddress, buffer.count) }
      }
      guard count > 0 else { break }
      bytes += chunk.prefix(count)
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}

extension LedgerError {
  /// Returns the error for a file that another process uses.
  ///
  /// - Parameter waited: The duration of the wait; nil without a wait.
  static func inUse(_ path: String, by holder: LockHolder?, waited: Duration?) -> LedgerError {
    var details: [Detail] = [.text("file", path)]
    var who = "another process"
    var state = ""
    var remedy = "Wait until it has ended, or end it, then try again."
    if let holder {
      details.append(.integer("process", holder.process))
      who = "process \(holder.process)" + (holder.name.map { " (\($0))" } ?? "")
      if holder.isStopped {
        state = ", and it is stopped"
        remedy = "Resume it (kill -CONT \(holder.process)) or end it, then try again."
      }
    }
    var span = ""
    if let waited {
      details.append(.integer("waited_ms", waited.wholeMilliseconds))
      span = " for more than \(waited.wholeMilliseconds / 1000) s"
    }
    return LedgerError(
      .storageUnavailable, "\"\(path)\" is in use by \(who)\(span)\(state). \(remedy)", details: details)
  }
}
