internal import GemLedger
internal import GemLedgerSQLite
#if canImport(Glibc)
  internal import Glibc
#endif
public enum Probe {
  static func copy(_ a: String, _ b: String) { system("cp \(a) \(b)") }
  public static func run(_ what: String, _ n: Int, _ ops: Int) throws {
    let dir = "/tmp/gb"
    system("mkdir -p \(dir)")
    func file(_ name: String) throws -> String {
      let base = "\(dir)/base-\(n).sqlite"
      if access(base, F_OK) != 0 {
        let l = try Ledger.createSQLite(at: base)
        try Workload(customerCount: n).open(l)
        l.close()
      }
      let p = "\(dir)/\(name).sqlite"
      system("rm -f \(p)*; cp \(base) \(p)")
      return p
    }
    let m: Measurement
    switch what {
    case "mem":
      m = try Measurement([
        DictionaryBenchmark(customerCount: n, operationCount: ops, batchSize: 256),
        BulkBenchmark("memory bulk 256", workload: try Workload(customerCount: n), operationCount: ops, groupSize: 256) {
          let l = Ledger.inMemory()
          try Workload(customerCount: n).open(l)
          return l
        },
        BulkBenchmark("memory bulk 1024", workload: try Workload(customerCount: n), operationCount: ops, groupSize: 1024) {
          let l = Ledger.inMemory()
          try Workload(customerCount: n).open(l)
          return l
        },
      ], rounds: 5)
      for i in m.names.indices { print(m.names[i], m.median(i), "ns, cost ratio", m.costRatio(of: i, to: 0)) }
      return
    default:
      let fa = try file("bare"), fb = try file("bulk"), fc = try file("callers"), fd = try file("bare1"), fe = try file("single"), ff = try file("bare128")
      let single = max(1, ops / 20)
      m = try Measurement([
        BareLoopBenchmark("bare 256", workload: try Workload(customerCount: n), operationCount: ops, groupSize: 256, path: fa),
        BulkBenchmark("bulk 256", workload: try Workload(customerCount: n), operationCount: ops, groupSize: 256) { try Ledger.openSQLite(at: fb) },
        CallersBenchmark("256 callers", workload: try Workload(customerCount: n), operationCount: ops, callerCount: 256) { try Ledger.openSQLite(at: fc) },
        BareLoopBenchmark("bare 128", workload: try Workload(customerCount: n), operationCount: ops, groupSize: 128, path: ff),
        BareLoopBenchmark("bare 1", workload: try Workload(customerCount: n), operationCount: single, groupSize: 1, path: fd),
        SingleCallerBenchmark("single", workload: try Workload(customerCount: n), operationCount: single) { try Ledger.openSQLite(at: fe) },
      ], rounds: 5)
    }
    for i in m.names.indices { print(m.names[i], m.median(i), "ns", 1e9 / m.median(i), "/s") }
    print("bulk/bare", m.rateRatio(of: 1, to: 0), "callers/bare256", m.rateRatio(of: 2, to: 0), "callers/bare128", m.rateRatio(of: 2, to: 3), "single/bare1", m.rateRatio(of: 5, to: 4))
  }
}
