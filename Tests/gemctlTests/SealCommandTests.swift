#if Receipts
import XCTest

/// `seal`, `seal prove`, `seal check` and `verify --seal`.
final class SealCommandTests: XCTestCase {
  private let begin = """
    gemctl init > /dev/null; gemctl buy gems_1200 --customer alice > /dev/null; \
    gemctl spend GEM=100 --customer alice --key k1 --reason 'a "sword"' --json > spend.json; \
    gemctl grant GEM=5 --customer bob --reason gift > /dev/null
    """
  private let id = "id=$(grep -o '\"transaction_id\":\"[^\"]*' spend.json | cut -d'\"' -f4)"

  func testASealHoldsUntilHistoryIsChanged() throws {
    let home = try TestHome()
    try Row.check(
      [
        Row("\(begin); gemctl seal --customers c.seal > books.seal; head -1 books.seal", output: "gemledger seal 3\n"),
        Row(
          "head -6 books.seal | sha256sum | cut -d' ' -f1 > hash; tail -1 books.seal | grep -c \"$(cat hash)\"",
          output: "1\n"),
        Row("gemctl seal --json > books.json; gemctl verify --seal books.json > /dev/null"),
        Row("gemctl seal --customers c.seal", 2, error: "error: \"c.seal\" already exists; name a new file.\n"),
        Row("gemctl seal --statements s.seal > /dev/null; wc -l < s.seal", output: "1\n"),
        Row("gemctl seal --customers d.seal --statements s.seal 2> /dev/null; ls d.seal 2> /dev/null", 2),
        Row("gemctl grant GEM=5 --customer carl --reason later > /dev/null"),
        Row(
          "gemctl verify --seal books.seal --statements s.seal | grep -c 'are not compared'; "
            + "gemctl verify --seal books.seal | grep Statements",
          output: "0\nStatements of stores are not compared: no --statements FILE was given.\n"),
        Row("gemctl verify --seal books.seal --statements c.seal 2> /dev/null", 64),
        Row("gemctl verify --seal books.seal | grep -c 'The seal holds'", output: "1\n"),
        Row("gemctl verify --seal books.seal --json | grep -c '\"holds\":true,\"erased_customers\":0'", output: "1\n"),
        Row(
          "gemctl erase --customer bob > /dev/null; gemctl verify --seal books.seal | grep -c 'not proven'",
          output: "1\n"),
        Row(
          "gemctl verify --seal books.seal --customers c.seal | grep erased",
          output: "Ids, notes and keys of 1 customer are not proven: the customer was erased since.\n"),
        Row(
          "sed 's/^transactions 3/transactions 4/' books.seal > bad.seal; gemctl verify --seal bad.seal 2> /dev/null",
          64),
        Row("gemctl verify --seal /dev/null 2> /dev/null", 64),
        Row(
          "gemctl verify --seal bad.seal", 64,
          error: "error: \"bad.seal\" was changed: its lines do not give its digest.\n"),
        Row("sed 's/$/\\r/' books.seal > dos.seal; gemctl verify --seal dos.seal > /dev/null"),
        Row("printf '%s' \"$(cat books.seal)\" > open.seal; gemctl verify --seal open.seal > /dev/null"),
        Row("gemctl verify --customers c.seal 2> /dev/null", 64),
        Row("head -1 c.seal > short.seal; gemctl verify --seal books.seal --customers short.seal 2> /dev/null", 64),
        Row("gemctl verify --seal books.seal --customers books.seal 2> /dev/null", 64),
        Row("mkdir other; cd other; gemctl init > /dev/null; gemctl grant GEM=1 --reason x --customer eve > /dev/null"),
        Row("cd other; gemctl seal > ../other.seal"),
        Row(
          "gemctl verify --seal other.seal 2> /dev/null | grep -c 'seal_holds: the transactions are not those'",
          output: "1\n"),
        Row("gemctl verify --seal other.seal > /dev/null 2>&1", 6),
      ], in: home)
  }

  func testAProofIsCheckedWithoutTheLedger() throws {
    let home = try TestHome()
    try Row.check(
      [
        Row("\(begin); gemctl seal > books.seal; \(id); gemctl seal prove $id --seal books.seal > proof.json"),
        Row("rm -r .gemctl; gemctl seal check proof.json --seal books.seal | grep -c 'as you named it'", output: "1\n"),
        Row(
          "gemctl seal check proof.json --digest $(tail -1 books.seal | cut -d' ' -f2) | grep reason",
          output: "reason       a \"sword\"\n"),
        Row("gemctl seal check - < proof.json | grep -c 'from a trusted source'", output: "1\n"),
        Row(
          "gemctl seal check proof.json --json | grep -o '\"is_compared\":[a-z]*'", output: "\"is_compared\":false\n"),
        Row("sed 's/sword/shield/' proof.json > bad.json; gemctl seal check bad.json 2> /dev/null", 6),
        Row("gemctl seal check proof.json --digest $(printf '%064d' 0) 2> /dev/null", 6),
        Row("gemctl seal check proof.json --digest 00 2> /dev/null", 64),
        Row("gemctl seal check proof.json --digest 00 --seal books.seal 2> /dev/null", 64),
        // A proof is refused with one status, whatever is wrong with it.
        Row("gemctl seal check /dev/null 2> /dev/null", 6),
        Row("sed 's/\"path\"/\"way\"/' proof.json > bad.json; gemctl seal check bad.json 2> /dev/null", 6),
        Row("sed 's/\"digest\":\"./\"digest\":\"g/' proof.json > bad.json; gemctl seal check bad.json 2> /dev/null", 6),
        Row("head -c 200 proof.json > bad.json; gemctl seal check bad.json 2> /dev/null", 6),
        Row("gemctl seal prove 01a206c2-530f-7000-8000-0000003fa4d3 2> /dev/null", 64),
      ], in: home)
  }
}
#endif
