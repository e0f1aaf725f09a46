#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

@main
enum Gemctl {
  static func main() {
    ByteWriter.ignoreSignals()
    exit(runLine(ProcessArguments.words(), on: .current(), environment: Environment.checked))
  }
}
