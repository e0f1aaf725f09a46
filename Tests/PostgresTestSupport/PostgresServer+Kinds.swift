#if PostgreSQL
internal import Foundation
internal import XCTest

// Servers that are harder to live with.

extension PostgresServer {
  /// A server that follows this one and only reads; it goes with the value.
  package func standby() throws -> PostgresServer {
    let directory = URL(fileURLWithPath: "/tmp/gemledger-postgres-\(Self.randomName())")
    let process = "\(ProcessInfo.processInfo.processIdentifier)"
    let url = try Self.script(["standby", directory.path, own().path, "--for", process])
    return PostgresServer(url: url, directory: directory)
  }

  /// Starts a pooler over this server, which goes with it; returns the URL of a database by way of the pooler.
  ///
  /// - Parameters:
  ///   - database: The database's own URL.
  ///   - settings: The settings for pgbouncer.ini, as `name=value`.
  /// - Throws: `XCTSkip` where PgBouncer is not installed.
  package func pooler(before database: String, _ settings: String...) throws -> String {
    do {
      let pooler = URLComponents(string: try Self.script(["pooler", own().path] + settings))
      var parts = URLComponents(string: database)
      parts?.port = pooler?.port
      return parts?.string ?? database
    } catch let failure as Failure where failure.description.contains("there is no PgBouncer") {
      throw XCTSkip("SKIPPED, nothing was tested: \(failure)")
    }
  }

  /// Restarts the server so that it accepts TCP connections with TLS only.
  ///
  /// - Throws: `XCTSkip` where there is no openssl to make a certificate with.
  package func requireTLS() throws {
    let data = try own().appendingPathComponent("data")
    let (certificate, key) = (data.appendingPathComponent("server.crt"), data.appendingPathComponent("server.key"))
    do {
      try Self.run(
        "openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=127.0.0.1",
        "-keyout", key.path, "-out", certificate.path)
    } catch {
      throw XCTSkip("SKIPPED, nothing was tested: openssl makes no certificate: \(error)")
    }
    for file in [certificate, key] { try giveToOwner(file, permissions: 0o600) }
    try execute("ALTER SYSTEM SET ssl = on", on: superuserURL())
    // Written in place: it stays its owner's.
    let rules = "local all all trust\nlocal replication all trust\nhostssl all all 127.0.0.1/32 scram-sha-256\n"
    try Data(rules.utf8).write(to: data.appendingPathComponent("pg_hba.conf"))
    try stop()
    try start()
  }

  /// Puts the log on the disk; the server must be stopped.
  package func moveLog(to disk: SmallDisk) throws {
    let log = try own().appendingPathComponent("data/pg_wal")
    try Self.run("cp", "-a", log.path + "/.", disk.path)
    try FileManager.default.removeItem(at: log)
    try FileManager.default.createSymbolicLink(atPath: log.path, withDestinationPath: disk.path)
  }

  /// Gives the file to the owner of the server's data: a process of root runs the server as another user.
  func giveToOwner(_ file: URL, permissions: Int) throws {
    let owner = try FileManager.default.attributesOfItem(atPath: own().appendingPathComponent("data").path)
    var attributes: [FileAttributeKey: Any] = [.posixPermissions: permissions]
    if getuid() == 0 {
      attributes[.ownerAccountID] = owner[.ownerAccountID]
      attributes[.groupOwnerAccountID] = owner[.groupOwnerAccountID]
    }
    try FileManager.default.setAttributes(attributes, ofItemAtPath: file.path)
  }

  static func run(_ command: String...) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = command
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    let error = Pipe()
    process.standardError = error
    try process.run()
    let message = String(decoding: error.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw Failure(description: "\(command.joined(separator: " ")): \(message)")
    }
  }
}

/// A small file system of its own, the server's to write to.
package final class SmallDisk {
  package let path: String

  /// - Throws: `XCTSkip` where none can be mounted.
  package init(megabytes: Int, for server: PostgresServer) throws {
    path = "/tmp/gemledger-disk-\(PostgresServer.randomName())"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    do {
      try PostgresServer.run("mount", "-t", "tmpfs", "-o", "size=\(megabytes)m", "tmpfs", path)
    } catch {
      try FileManager.default.removeItem(atPath: path)
      throw XCTSkip("SKIPPED, nothing was tested: a small disk takes root, who may mount one: \(error)")
    }
    try server.giveToOwner(URL(fileURLWithPath: path), permissions: 0o700)
  }

  deinit {
    do {
      // The server may still be at it.
      try PostgresServer.run("umount", "-l", path)
      try FileManager.default.removeItem(atPath: path)
    } catch {
      FileHandle.standardError.write(Data("\(path) was not cleaned up: \(error)\n".utf8))
    }
  }

  /// A directory on it, the server's.
  package func directory(for server: PostgresServer) throws -> String {
    let directory = path + "/space"
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
    try server.giveToOwner(URL(fileURLWithPath: directory), permissions: 0o700)
    return directory
  }

  /// Leaves no room.
  package func fill() throws {
    let file = path + "/filler"
    guard FileManager.default.createFile(atPath: file, contents: nil),
      let handle = FileHandle(forWritingAtPath: file)
    else { throw PostgresServer.Failure(description: "\(file) cannot be made") }
    let block = Data(count: 1 << 12)
    while (try? handle.write(contentsOf: block)) != nil {}
    try handle.close()
  }

  /// Makes room again.
  package func makeRoom() throws { try FileManager.default.removeItem(atPath: path + "/filler") }
}
#endif
