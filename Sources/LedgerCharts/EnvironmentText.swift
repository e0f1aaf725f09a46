package import GemLedger

/// Environments for people.
package enum EnvironmentText {
  /// Returns the environment with its test session, if it has one.
  package static func name(_ environment: StoreEnvironment) -> String {
    guard let session = environment.session else { return environment.description }
    return "\(environment) \(session)"
  }
}
