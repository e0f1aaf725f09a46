/// The commit that the package was built from.
///
/// It is a module of its own, so that another commit compiles nothing else.
package enum CommitOfBuild {
  /// The first twelve digits; nil where the package was not built in a clone.
  package static var text: String? { readCommit.isEmpty ? nil : readCommit }
}
