import XCTest

@testable import gemctl

/// `unmerge` of the built binary.
final class UnmergeCommandTests: XCTestCase {
  /// A home in which alice became part of bob, who spent 35 of the 50 gems that both had.
  private func merged() throws -> TestHome {
    let home = try TestHome()
    let answer = try home.run(
      """
      gemctl init && gemctl grant GEM=30 --reason hello --customer alice && gemctl grant GEM=20 --reason hello \
      --customer bob && gemctl merge --from alice --into bob && gemctl spend GEM=35 --customer bob
      """)
    XCTAssertEqual(answer.status, 0, answer.error)
    return home
  }

  func testShowsWhatComesBackAndWhatIsNotThere() throws {
    let home = try merged()
    let preview = try home.run("gemctl unmerge alice --from bob --dry-run")
    XCTAssertEqual(preview.status, 0, preview.error)
    XCTAssertTrue(preview.output.contains("MISSING"), preview.output)
    XCTAssertTrue(preview.output.contains("bob does not replace it"), preview.output)
    XCTAssertTrue(try home.run("gemctl balance --customer alice").output.contains(" 15 "))
    let done = try home.run("gemctl unmerge alice --key u --reason \"wrong account\" --json")
    XCTAssertEqual(done.status, 0, done.error)
    for part in [
      #""adjustments":{"alice":{"GEM":15},"bob":{"GEM":-15}}"#, #""balances":{"alice":{"GEM":15},"bob":{"GEM":0}}"#,
      #""unmerged":{"survivor_id":"bob","#, #""whole":false"#, #""moved":30,"returned":15,"missing":15"#,
    ] {
      XCTAssertTrue(done.output.contains(part), "\(part) is not in \(done.output)")
    }
    let again = try home.run("gemctl unmerge alice --key u --reason \"wrong account\" --json")
    XCTAssertEqual(again.output, done.output.replacing(#""replayed":false"#, with: #""replayed":true"#))
    XCTAssertEqual(try home.run("gemctl verify").status, 0)
    XCTAssertTrue(try home.run("gemctl history --customer bob").output.contains("unmerge"))
  }

  func testRefusals() throws {
    let home = try merged()
    XCTAssertEqual(try home.run("gemctl unmerge").status, 64)
    XCTAssertEqual(try home.run("gemctl unmerge nobody").status, 5)
    XCTAssertEqual(try home.run("gemctl unmerge alice --from carol").status, 2)
    XCTAssertEqual(try home.run("gemctl unmerge bob").status, 2)
    XCTAssertEqual(try home.run("gemctl unmerge alice").status, 0)
    let twice = try home.run("gemctl unmerge alice")
    XCTAssertEqual(twice.status, 2)
    XCTAssertTrue(twice.error.contains("was split off \"bob\" before"), twice.error)
  }
}
