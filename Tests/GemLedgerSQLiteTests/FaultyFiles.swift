import CSQLite
import Foundation
import Synchronization
import XCTest

/// The system's file access with faults, as SQLite's default while one of these is at work.
final class FaultyFiles {
  enum Fault: Equatable {
    /// A read fails, or ends early; `after` so many that do not.
    case read(after: Int)
    case shortRead(after: Int)
    /// One read fails, and all later ones work again.
    case oneRead(after: Int)
    /// So many syncs in a row are interrupted by a signal.
    case interruptedSyncs(Int)
    case failedSync
    /// The disk is full for pages, for a new log, for the log's index.
    case fullDisk
    case fullDiskForTheLog
    case fullDiskForTheIndex
  }

  /// The present fault, and the number of calls since it was set.
  fileprivate struct State {
    var fault: Fault?
    var count = 0
    var struck = 0
    var lastError: Int32 = 0
  }

  fileprivate static let state = Mutex(State())

  private let vfs: UnsafeMutablePointer<sqlite3_vfs>

  init() throws {
    let base = try XCTUnwrap(sqlite3_vfs_find("unix"))
    vfs = .allocate(capacity: 1)
    vfs.initialize(to: base.pointee)
    vfs.pointee.zName = UnsafePointer(strdup("faulty"))
    vfs.pointee.pNext = nil
    vfs.pointee.xOpen = openFile
    sqlite3_vfs_register(vfs, 1)
  }

  deinit {
    Self.state.withLock { $0 = State() }
    // Files that are still open know the structure, so that it stays.
    sqlite3_vfs_unregister(vfs)
    sqlite3_vfs_register(sqlite3_vfs_find("unix"), 1)
  }

  func set(_ fault: Fault?) { Self.state.withLock { $0 = State(fault: fault) } }

  /// How often the fault struck.
  var struck: Int { Self.state.withLock { $0.struck } }

  /// - Returns: Whether this call is the one that fails.
  fileprivate static func strikes(_ number: Int32, _ choose: (Fault, inout State) -> Bool) -> Bool {
    let isStruck = state.withLock { state in
      guard let fault = state.fault, choose(fault, &state) else { return false }
      state.struck += 1
      state.lastError = number
      return true
    }
    if isStruck { errno = number }
    return isStruck
  }

  /// The system's methods by the function that locks a file, which no layer over them changes.
  private static let originals = Mutex<[UInt: UInt]>([:])
  private static let made = Mutex<[UInt: UInt]>([:])

  private static func kind(_ methods: UnsafePointer<sqlite3_io_methods>) -> UInt {
    unsafeBitCast(methods.pointee.xLock, to: UInt.self)
  }

  fileprivate static func original(_ file: UnsafeMutablePointer<sqlite3_file>?) -> sqlite3_io_methods? {
    guard let methods = file?.pointee.pMethods else { return nil }
    let address = originals.withLock { $0[kind(methods)] } ?? 0
    return UnsafePointer<sqlite3_io_methods>(bitPattern: address)?.pointee
  }

  fileprivate static func methods(
    over original: UnsafePointer<sqlite3_io_methods>
  ) -> UnsafePointer<sqlite3_io_methods>? {
    let kind = kind(original)
    originals.withLock { $0[kind] = UInt(bitPattern: original) }
    let address = made.withLock { made in
      if let address = made[kind] { return address }
      let methods = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
      methods.initialize(to: original.pointee)
      methods.pointee.xRead = readFile
      methods.pointee.xWrite = writeFile
      methods.pointee.xSync = syncFile
      methods.pointee.xFileControl = controlFile
      methods.pointee.xShmMap = mapIndex
      made[kind] = UInt(bitPattern: methods)
      return UInt(bitPattern: methods)
    }
    return UnsafePointer(bitPattern: address)
  }
}

private func openFile(
  _ vfs: UnsafeMutablePointer<sqlite3_vfs>?, _ name: UnsafePointer<CChar>?,
  _ file: UnsafeMutablePointer<sqlite3_file>?, _ flags: Int32, _ outFlags: UnsafeMutablePointer<Int32>?
) -> Int32 {
  let isLog = flags & SQLITE_OPEN_WAL != 0
  if FaultyFiles.strikes(ENOSPC, { fault, _ in fault == .fullDiskForTheLog && isLog }) { return SQLITE_CANTOPEN }
  guard let base = sqlite3_vfs_find("unix"), let open = base.pointee.xOpen else { return SQLITE_CANTOPEN }
  let code = open(base, name, file, flags, outFlags)
  guard code == SQLITE_OK, let original = file?.pointee.pMethods else { return code }
  file?.pointee.pMethods = FaultyFiles.methods(over: original)
  return code
}

private func readFile(
  _ file: UnsafeMutablePointer<sqlite3_file>?, _ bytes: UnsafeMutableRawPointer?, _ count: Int32, _ offset: Int64
) -> Int32 {
  let fails = FaultyFiles.strikes(EIO) { fault, state in
    let after: Int
    switch fault {
    case .read(let count), .oneRead(let count): after = count
    default: return false
    }
    state.count += 1
    return fault == .oneRead(after: after) ? state.count == after + 1 : state.count > after
  }
  // What the system's file access says for EIO; SQLite makes damage of it.
  if fails { return SQLITE_IOERR | 33 << 8 }
  let isShort = FaultyFiles.strikes(0) { fault, state in
    guard case .shortRead(let after) = fault else { return false }
    state.count += 1
    return state.count > after
  }
  if isShort {
    if let bytes { memset(bytes, 0, Int(count)) }
    return SQLITE_IOERR | 2 << 8
  }
  return FaultyFiles.original(file)?.xRead(file, bytes, count, offset) ?? SQLITE_IOERR
}

private func writeFile(
  _ file: UnsafeMutablePointer<sqlite3_file>?, _ bytes: UnsafeRawPointer?, _ count: Int32, _ offset: Int64
) -> Int32 {
  if FaultyFiles.strikes(ENOSPC, { fault, _ in fault == .fullDisk }) { return SQLITE_FULL }
  return FaultyFiles.original(file)?.xWrite(file, bytes, count, offset) ?? SQLITE_IOERR
}

private func syncFile(_ file: UnsafeMutablePointer<sqlite3_file>?, _ flags: Int32) -> Int32 {
  let isInterrupted = FaultyFiles.strikes(EINTR) { fault, state in
    guard case .interruptedSyncs(let count) = fault else { return false }
    state.count += 1
    return state.count <= count
  }
  if isInterrupted || FaultyFiles.strikes(EIO, { fault, _ in fault == .failedSync }) { return SQLITE_IOERR | 4 << 8 }
  return FaultyFiles.original(file)?.xSync(file, flags) ?? SQLITE_IOERR
}

private func controlFile(
  _ file: UnsafeMutablePointer<sqlite3_file>?, _ operation: Int32, _ argument: UnsafeMutableRawPointer?
) -> Int32 {
  let lastError = FaultyFiles.state.withLock { $0.lastError }
  if operation == SQLITE_FCNTL_LAST_ERRNO, lastError != 0 {
    argument?.storeBytes(of: lastError, as: Int32.self)
    return SQLITE_OK
  }
  return FaultyFiles.original(file)?.xFileControl(file, operation, argument) ?? SQLITE_NOTFOUND
}

private func mapIndex(
  _ file: UnsafeMutablePointer<sqlite3_file>?, _ region: Int32, _ size: Int32, _ extends: Int32,
  _ position: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
) -> Int32 {
  if FaultyFiles.strikes(ENOSPC, { fault, _ in fault == .fullDiskForTheIndex }) { return SQLITE_IOERR | 19 << 8 }
  return FaultyFiles.original(file)?.xShmMap(file, region, size, extends, position) ?? SQLITE_IOERR
}
