internal import GemLedger

/// A check of a file by its first hundred bytes, before SQLite works on it.
///
/// SQLite may write to a file that it only opens (rollback, checkpoint). A file that is not a ledger must not change,
/// so this check is first.
struct SQLiteFile {
  /// "GEML" in the header of every ledger.
  static let applicationID: Int32 = 0x4745_4D4C

  enum Finding: Equatable {
    case missing
    case empty
    case ledger(schema: Int32)
  }

  let path: String
  /// All schema steps that this program knows.
  var steps = Migration.all

  /// - Throws: In order of precedence `input_output`, `storage_foreign`, `storage_damaged`, `storage_newer`.
  func examine() throws(LedgerError) -> Finding {
    guard let connection = try open() else { return .missing }
    let header: [UInt8]
    do throws(SQLiteFailure) { header = try connection.head(100) } catch { throw error.ledgerError(path: path) }
    if header.isEmpty { return .empty }
    let isOurs = header.count >= 72 && Self.number(header, at: 68) == Self.applicationID
    guard header.starts(with: Array("SQLite format 3\0".utf8)), header.count == 100 else {
      throw isOurs
        ? damaged("its header is broken")
        : LedgerError(
          .storageForeign, "\(path) is not a GemLedger file. Nothing was written to it; name another file.",
          details: [.text("file", path)])
    }
    guard isOurs else {
      throw LedgerError(
        .storageForeign,
        "\(path) is a SQLite file of another program. Nothing was written to it; name another file.",
        details: [.text("file", path)])
    }
    try checkSize(header, connection)
    let schema = FileVersion(userVersion: Self.number(header, at: 60)).schema
    try refuseNewer(schema)
    return .ledger(schema: schema)
  }

  func refuseNewer(_ schema: Int32) throws(LedgerError) {
    guard schema <= Int32(steps.count) else { throw newer(schema) }
  }

  func newer(_ schema: Int32) -> LedgerError {
    LedgerError(
      .storageNewer,
      "\(path) was written by a newer GemLedger (schema \(schema); this one knows \(steps.count)). Nothing was "
        + "written to it; update this program.", details: [.text("file", path), .integer("schema", Int64(schema))])
  }

  /// Checks the file's size against the page count in the header; with a log the file may still be shorter.
  ///
  /// The size is read last: after the header was read, another process may have checkpointed the log and removed it.
  private func checkSize(_ header: [UInt8], _ connection: SQLiteConnection) throws(LedgerError) {
    var pageSize = Int64(header[16]) << 8 | Int64(header[17])
    if pageSize == 1 { pageSize = 65_536 }
    let pages = Int64(UInt32(bitPattern: Self.number(header, at: 28)))
    guard pageSize >= 512, pageSize & (pageSize - 1) == 0 else { throw damaged("its header is broken") }
    if connection.hasLog { return }
    let byteCount: Int64
    do throws(SystemFailure) {
      byteCount = try FileStatus(of: path).byteCount
    } catch {
      throw error.ledgerError("examined", path: path)
    }
    guard byteCount >= pages * pageSize else {
      throw damaged("it has \(byteCount) bytes, but its header states \(pages * pageSize)")
    }
  }

  var noLedger: LedgerError {
    LedgerError(
      .inputOutput, "There is no ledger at \(path). Create one first (with gemctl: `gemctl init`).",
      details: [.text("file", path)])
  }

  var mayOnlyBeRead: LedgerError {
    LedgerError(
      .inputOutput,
      "\(path) is read-only. Nothing was changed; check the permissions of the file, its folder and its medium.",
      details: [.text("file", path)])
  }

  func logCannotBeRead(_ log: String) -> LedgerError {
    LedgerError(
      .inputOutput,
      "\(path) is read-only, and \(log) has commits that are not in it yet; reading them requires write access to the "
        + "folder. Copy both files into a writable folder, and open the copy.",
      details: [.text("file", path), .text("log", log)])
  }

  var isWritten: LedgerError {
    LedgerError(
      .storageUnavailable, "Another process started to write to \(path) while it was read. Try again.",
      details: [.text("file", path)])
  }

  var cannotBeUpgraded: LedgerError {
    LedgerError(
      .inputOutput,
      "\(path) was written by an earlier GemLedger and is read-only, so it cannot be migrated. Open it once with write "
        + "access, or open a copy of it.", details: [.text("file", path)])
  }

  var ledgerExists: LedgerError {
    LedgerError(.alreadyExists, "There is a ledger at \(path) already.", details: [.text("file", path)])
  }

  func damaged(_ what: String) -> LedgerError {
    LedgerError(
      .storageDamaged, "\(path) is damaged: \(what). Nothing was written to it; restore it from a backup.",
      details: [.text("file", path)])
  }

  /// Opens the file for examination through SQLite.
  ///
  /// A separate descriptor is unsafe: closing it would release all locks of the process on the file. Another process
  /// could then remove a log that is in use.
  ///
  /// - Returns: Nil if there is no such file.
  private func open() throws(LedgerError) -> SQLiteConnection? {
    let isRegularFile: Bool
    do throws(SystemFailure) {
      isRegularFile = try FileStatus(of: path).isRegularFile
    } catch {
      if error.isMissingFile { return nil }
      throw error.ledgerError("opened", path: path)
    }
    guard isRegularFile else {
      throw LedgerError(
        .storageForeign, "\(path) is not a file. Specify the ledger's file.", details: [.text("file", path)])
    }
    do throws(SQLiteFailure) {
      return try SQLiteConnection(path: path, .read)
    } catch {
      throw error.ledgerError(path: path)
    }
  }

  static func number(_ bytes: [UInt8], at offset: Int) -> Int32 {
    bytes[offset..<offset + 4].reduce(0) { $0 << 8 | Int32($1) }
  }
}
