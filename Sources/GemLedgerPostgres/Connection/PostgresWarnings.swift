#if PostgreSQL
internal import CPostgreSQL

/// The server's warnings on one connection, used only by the connection's thread.
final class PostgresWarnings {
  /// The first warning since the last reset.
  private(set) var first: String?

  func forget() { first = nil }

  /// Records the warnings of a connection, which must be closed before this ends.
  ///
  /// Other notices (a schema that exists already) are dropped and do not reach the terminal.
  func listen(on handle: OpaquePointer) {
    let this = Unmanaged.passUnretained(self).toOpaque()
    _ = PQsetNoticeReceiver(
      handle,
      { this, result in
        guard let this, let result else { return }
        Unmanaged<PostgresWarnings>.fromOpaque(this).takeUnretainedValue().hear(result)
      }, this)
  }

  private func hear(_ notice: OpaquePointer) {
    // "V" is the severity in English, for any language of the server.
    guard first == nil, Self.field("V", of: notice) == "WARNING" else { return }
    first = Self.field("M", of: notice) ?? "a warning without text"
  }

  private static func field(_ code: Unicode.Scalar, of notice: OpaquePointer) -> String? {
    PQresultErrorField(notice, Int32(code.value)).map { String(cString: $0) }
  }
}
#endif
