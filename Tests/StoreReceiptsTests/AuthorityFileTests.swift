#if Receipts
import GemLedger
import GemTestSupport
import SystemCrypto
import XCTest

@testable import StoreReceipts

final class AuthorityFileTests: XCTestCase {
  func testAFileIsMadeOnceForItsOwnerAlone() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("authority.pem")
    let authority = try LocalAuthority(file: path)
    XCTAssertEqual(try LocalAuthority(file: path).root.fingerprint, authority.root.fingerprint)
    var status = stat()
    XCTAssertEqual(stat(path, &status), 0)
    XCTAssertEqual(status.st_mode & 0o777, 0o600)
    let key = try PlayKey(file: directory.path("play.pem"))
    XCTAssertEqual(try PlayKey(file: directory.path("play.pem")).publicKey, key.publicKey)
    XCTAssertEqual(
      try FileManager.default.contentsOfDirectory(atPath: directory.url.path).sorted(), ["authority.pem", "play.pem"])
  }

  func testManyAtOnceGetTheSame() async throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("authority.pem")
    let found = try await withThrowingTaskGroup(of: String.self) { group in
      for _ in 0..<16 { group.addTask { try LocalAuthority(file: path).root.fingerprint } }
      return try await group.reduce(into: Set<String>()) { $0.insert($1) }
    }
    XCTAssertEqual(found.count, 1)
  }

  func testCertificatesThatDidNotSignEachOtherAreDamage() throws {
    let (first, second) = (LocalAuthority(), LocalAuthority())
    let chains = [
      [first.chain[0], first.chain[2], first.chain[1]], [first.chain[0], second.chain[1], second.chain[2]],
      [first.chain[0], first.chain[1], second.chain[2]],
    ]
    for chain in chains {
      let pem = Crypto.pem(of: first.key) + chain.map(Crypto.pem).joined()
      assertRefused(.storageDamaged) { try LocalAuthority(pem: Array(pem.utf8)) }
    }
  }

  func testADamagedFileIsNamed() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("authority.pem")
    try Data("-----BEGIN".utf8).write(to: URL(fileURLWithPath: path))
    let error = assertRefused(.storageDamaged) { try LocalAuthority(file: path) }
    XCTAssertEqual(error?.text("file"), path)
    assertRefused(.inputOutput) { try LocalAuthority(file: directory.path("none/authority.pem")) }
  }
}
#endif
