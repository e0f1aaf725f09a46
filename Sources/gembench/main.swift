import GemBenchmarks
import GemLedger
import GemLedgerSQLite

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif
func go() throws {
  let n = Int(CommandLine.arguments.dropFirst(2).first ?? "100000") ?? 100000
  let ops = Int(CommandLine.arguments.dropFirst(3).first ?? "100000") ?? 100000
  try Probe.run(CommandLine.arguments.dropFirst(1).first ?? "", n, ops)
}
do { try go() } catch { print(error) }
