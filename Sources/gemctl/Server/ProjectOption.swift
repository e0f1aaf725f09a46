#if Server
import GemLedger

/// An option of `serve` with a value per project: `PROJECT=VALUE`, or `VALUE` for all other projects.
struct ProjectOption {
  private var others: String?
  private var values: [String: String] = [:]

  /// - Parameter projects: The ids of all projects.
  /// - Throws: `LedgerError` with `invalid_request` if two values are for the same project, or one is for no project.
  init(_ name: String, _ parsed: Parsed, of projects: [String]) throws(LedgerError) {
    for text in parsed.values(name) {
      // No URL, package name or number has such a beginning.
      guard let match = text.wholeMatch(of: /([A-Za-z0-9_-]{1,64})=(.*)/) else {
        guard others == nil else {
          throw .invalid("\(name) was given twice; write PROJECT=VALUE for a project of several.")
        }
        others = text
        continue
      }
      guard values.updateValue(String(match.2), forKey: String(match.1)) == nil else {
        throw .invalid("\(name) was given twice for the project \(String(match.1).quotedForPeople); give it once.")
      }
    }
    if let unknown = values.keys.sorted().first(where: { !projects.contains($0) }) {
      throw .invalid(
        "\(name) names the project \(unknown.quotedForPeople), which is not served; the projects are "
          + "\(projects.joined(separator: ", ")).")
    }
  }

  /// The value for the project; nil if there is none.
  subscript(project: String) -> String? { values[project] ?? others }
}
#endif
