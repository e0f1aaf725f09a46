import Foundation
import XCTest

/// `backup` and `restore`, and ledgers that may only be read.
final class BackupCommandTests: XCTestCase {
  private func home() throws -> TestHome {
    let home = try TestHome()
    let made = try home.raw(
      """
      gemctl init >/dev/null && gemctl grant GEM=100 --customer alice --reason gift --key a >/dev/null
      """)
    XCTAssertEqual(made.status, 0, made.error)
    return home
  }

  private func balance(_ home: TestHome, _ options: String = "") throws -> String {
    let answer = try home.raw("gemctl \(options) balance GEM --customer alice --json")
    XCTAssertEqual(answer.status, 0, answer.error)
    return answer.output.firstMatch(of: /"balance": ?(-?\d+)/).map { String($0.1) } ?? answer.output
  }

  func testABackupIsRestored() throws {
    let home = try home()
    let backup = try home.run("gemctl backup b.sqlite; ls")
    XCTAssertEqual(
      backup.output, "Backed up 1 transaction of 2 customers to b.sqlite; its books add up.\nb.sqlite\n")
    XCTAssertEqual(try balance(home, "--storage sqlite:b.sqlite"), "100")
    XCTAssertEqual(try home.raw("gemctl backup b.sqlite").status, 2)
    _ = try home.raw("gemctl spend GEM=30 --customer alice --key s")
    let refused = try home.raw("gemctl restore b.sqlite")
    XCTAssertEqual(refused.status, 2)
    XCTAssertTrue(refused.error.contains("1 transaction more than the backup"), refused.error)
    XCTAssertEqual(try balance(home), "70")
    let restored = try home.raw("gemctl restore b.sqlite --discard-newer --json")
    XCTAssertEqual(restored.status, 0, restored.error)
    XCTAssertEqual(try balance(home), "100")
    let kept = try XCTUnwrap(restored.output.firstMatch(of: /"replaced": ?"([^"]+)"/)).1
    XCTAssertEqual(try balance(home, "--storage sqlite:\(kept)"), "70")
    // The same request again.
    _ = try home.raw("gemctl spend GEM=30 --customer alice --key s")
    XCTAssertEqual(try balance(home), "70")
    XCTAssertEqual(try home.raw("gemctl verify").status, 0)
  }

  /// The story of a server that was killed: its log stays, and a backup is put in place by hand, or by the verb.
  func testALogThatAKilledProcessLeftIsNamedOrRemoved() throws {
    let home = try home()
    let answer = try home.raw(
      """
      gemctl backup old.sqlite >/dev/null
      gemctl serve --listen 127.0.0.1:0 >serve.log 2>&1 & server=$!
      for number in 1 2 3 4 5; do gemctl grant GEM=1 --customer alice --reason r >/dev/null; done
      until grep -q http serve.log; do kill -0 $server || break; sleep 0.05; done
      for number in 1 2 3 4 5; do gemctl grant GEM=1 --customer alice --reason r >/dev/null; done
      kill -9 $server; wait $server 2>/dev/null
      test -s .gemctl/ledger.sqlite-wal && echo log
      cp .gemctl/ledger.sqlite now.sqlite; cp .gemctl/ledger.sqlite-wal now.sqlite-wal
      cp old.sqlite .gemctl/ledger.sqlite
      gemctl balance GEM --customer alice; echo $?
      gemctl grant GEM=1 --customer alice --reason r; echo $?
      cmp old.sqlite .gemctl/ledger.sqlite && echo untouched
      gemctl restore old.sqlite >/dev/null; echo $?
      """)
    XCTAssertEqual(answer.output, "log\n74\n74\nuntouched\n0\n", answer.error)
    XCTAssertTrue(answer.error.contains("does not continue this file"), answer.error)
    XCTAssertEqual(try balance(home), "100")
    XCTAssertEqual(try balance(home, "--storage sqlite:now.sqlite"), "110")
  }

  func testAnotherProjectOrALedgerInUseIsNotReplaced() throws {
    let home = try home()
    let answer = try home.raw(
      """
      gemctl backup b.sqlite >/dev/null
      gemctl --home other init >/dev/null
      gemctl --home other restore b.sqlite >/dev/null; echo $?
      gemctl --home third init >/dev/null; gemctl --home third grant GEM=1 --customer c --reason r >/dev/null
      gemctl --home third restore b.sqlite; echo $?
      gemctl --home nowhere restore b.sqlite; echo $?
      gemctl restore ./.gemctl/ledger.sqlite; echo $?
      gemctl serve --listen 127.0.0.1:0 >serve.log 2>&1 & server=$!
      until grep -q http serve.log; do kill -0 $server || break; sleep 0.05; done
      gemctl restore b.sqlite; echo $?
      kill $server; wait $server
      gemctl restore b.sqlite >/dev/null; echo $?
      """)
    XCTAssertEqual(answer.output, "0\n2\n74\n64\n69\n0\n", answer.error)
    XCTAssertTrue(answer.error.contains("of another project"), answer.error)
    XCTAssertTrue(answer.error.contains("Another process has"), answer.error)
    XCTAssertEqual(try balance(home, "--home other"), "100")
  }

  /// As another user, who may read the files and write nothing.
  private static let reader = """
    chmod -R a+rX,a-w .; chmod a+x .. ../..
    reader() { if [ "$(id -u)" = 0 ]; then setpriv --reuid 65534 --regid 65534 --clear-groups "$@"; else "$@"; fi; }
    trap 'chmod -R u+w .' EXIT

    """

  func testALedgerThatMayOnlyBeReadIsRead() throws {
    let home = try home()
    let answer = try home.raw(
      Self.reader + """
        cd .
        for storage in "--home .gemctl" "--storage sqlite:.gemctl/ledger.sqlite"; do
          reader gemctl $storage balance GEM --customer alice --json | grep -c '"balance": *100'
          reader gemctl $storage verify | tail -1 | grep -o "The books add up"
          reader gemctl $storage export | wc -l
          reader gemctl $storage flows --from 2026-01-01 --until 2027-01-01 >/dev/null; echo $?
          reader gemctl $storage grant GEM=1 --customer alice --reason r; echo $?
        done
        """)
    let once = "1\nThe books add up\n7\n0\n74\n"
    XCTAssertEqual(answer.output, once + once, answer.error)
    XCTAssertTrue(answer.error.contains("is read-only"), answer.error)
  }

  /// The log holds commits: they are read, or the remedy is told; never are they left out.
  func testALogThatMayOnlyBeReadIsReadOrNamed() throws {
    let home = try home()
    let answer = try home.raw(
      """
      gemctl serve --listen 127.0.0.1:0 >serve.log 2>&1 & server=$!
      until grep -q http serve.log; do kill -0 $server || break; sleep 0.05; done
      gemctl grant GEM=1 --customer alice --reason r >/dev/null
      kill -9 $server; wait $server 2>/dev/null
      \(Self.reader)
      reader gemctl balance GEM --customer alice --json | grep -c '"balance": *101'
      chmod u+w .gemctl; rm .gemctl/ledger.sqlite-shm; chmod u-w .gemctl
      reader gemctl balance GEM --customer alice; echo $?
      """)
    XCTAssertEqual(answer.output, "1\n74\n", answer.error)
    XCTAssertTrue(answer.error.contains("Copy both files"), answer.error)
  }
}
