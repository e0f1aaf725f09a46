#if canImport(Glibc)
internal import Glibc
#elseif canImport(Darwin)
internal import Darwin
#endif

/// Formats and reads figures.
enum Figure {
  static func ratio(_ value: Double) -> String {
    let hundredths = Int((value * 100).rounded())
    let rest = hundredths % 100
    return "\(hundredths / 100).\(rest < 10 ? "0" : "")\(rest)"
  }

  static func ratio(_ spread: Spread) -> String { spread.text(ratio) }

  static func whole(_ value: Double) -> String { "\(Int(value.rounded()))" }

  static func nanoseconds(_ value: Double) -> String {
    if value >= 1e6 { return "\(ratio(value / 1e6)) ms" }
    return value >= 1e3 ? "\(ratio(value / 1e3)) µs" : "\(Int(value.rounded())) ns"
  }

  static func rate(_ nanoseconds: Double) -> String {
    guard nanoseconds > 0 else { return "-" }
    return "\(Int((1e9 / nanoseconds).rounded())) a second"
  }

  static func seconds(_ duration: Duration) -> Double {
    let (seconds, attoseconds) = duration.components
    return Double(seconds) + Double(attoseconds) / 1e18
  }

  /// Returns the resident memory of this process; 0 if the system does not report it.
  static func residentKilobytes() -> Int {
    guard let file = fopen("/proc/self/statm", "r") else { return 0 }
    defer { fclose(file) }
    var text = [UInt8](repeating: 0, count: 200)
    let count = fread(&text, 1, text.count, file)
    let words = String(decoding: text[..<count], as: UTF8.self).split(separator: " ")
    return (words.count > 1 ? Int(words[1]) ?? 0 : 0) * Int(getpagesize()) / 1024
  }

  /// Returns the peak memory of this process.
  static func peakMegabytes() -> Int {
    var usage = rusage()
    #if os(Linux)
    // The header's enumeration is not the type that the function takes.
    getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    return usage.ru_maxrss / 1024
    #else
    getrusage(RUSAGE_SELF, &usage)
    return usage.ru_maxrss / 1_048_576
    #endif
  }
}
