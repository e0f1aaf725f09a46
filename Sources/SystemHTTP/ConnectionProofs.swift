#if Server
internal import Synchronization

/// The credentials that requests of one connection have proven, kept until the connection ends.
///
/// A client sends the same credential with every request of its connection. A handler keeps the results of slow
/// computations here, such as a digest. Whether a credential still gives access is decided for every request.
package final class ConnectionProofs: Sendable {
  /// A proven credential.
  package struct Proof: Sendable {
    /// The bytes of the header field's value.
    package let field: [UInt8]
    /// The id of the key in the field.
    package let keyID: String
    /// The digest of the key in the field.
    package let digest: [UInt8]

    package init(field: [UInt8], keyID: String, digest: [UInt8]) {
      self.field = field
      self.keyID = keyID
      self.digest = digest
    }
  }

  /// The maximum number of proofs; a proxy may send requests of several clients on one connection.
  private static let countMax = 4

  private let proofs = Mutex<[Proof]>([])

  package init() {}

  /// Returns the first proof that matches.
  package func first(where matches: (Proof) -> Bool) -> Proof? { proofs.withLock { $0.first(where: matches) } }

  /// Adds a proof in place of the oldest if there is no room.
  package func add(_ proof: Proof) {
    proofs.withLock { proofs in
      if proofs.count == Self.countMax { proofs.removeFirst() }
      proofs.append(proof)
    }
  }
}
#endif
