#if PostgreSQL
internal import GemLedger

/// The proof that a connection to a node leads to the rows of the ledger, before a group uses it.
///
/// An address in the engine's list of nodes may be of another machine for this process (`localhost`), which may have a
/// copy of the ledger.
///
/// A lock alone proves little: somebody else may hold the same lane of a copy at the same moment. So the node must also
/// show a commit token that was just written over the coordinator. Only a replica shows it too, and there the lane is
/// not locked. Nothing is written or locked over the connection before it has shown the token.
struct NodeProof {
  /// The maximum wait in milliseconds for the response while this holds the lane.
  private static let patience: Int32 = 1_000

  private let coordinator: ConnectionPool
  private let head: CustomerNumber
  private let token = PostgresGroup.CommitToken(
    writer: (0..<16).map { _ in UInt8.random(in: 0 ... .max) }, number: .random(in: 0 ... .max))

  /// - Parameter head: The lane, as the number of its row.
  init(_ coordinator: ConnectionPool, head: CustomerNumber) {
    self.coordinator = coordinator
    self.head = head
  }

  /// - Throws: The failure of the coordinator; a node that fails is not proven.
  func holds(for node: PostgresConnection) throws(PostgresFailure) -> Bool {
    let connection = try coordinator.take()
    defer { coordinator.giveBack(connection) }
    do throws(PostgresFailure) {
      _ = try connection.ask(PostgresRequest(CommonWrites.markInsert(from: 1)) { $0.add(token, customer: head) })
      var isProven = showsToken(node)
      if isProven {
        _ = try connection.ask([PostgresRequest("BEGIN"), PostgresRequest(Self.lock, head)])
        isProven = showsLock(node)
        _ = try connection.ask(PostgresRequest("ROLLBACK"))
      }
      _ = try connection.ask(removal)
      return isProven && takesLock(node)
    } catch {
      // The transaction may still be open.
      if connection.isOpen {
        do throws(PostgresFailure) {
          try connection.execute(["ROLLBACK"])
          _ = try connection.ask(removal)
        } catch { connection.close() }
      }
      throw error
    }
  }

  private var removal: PostgresRequest {
    PostgresRequest(
      "DELETE FROM commit_tokens WHERE customer = $1 AND writer = $2", head, PostgresBytes(bytes: token.writer))
  }

  // MARK: The node

  private static let lock = "SELECT last FROM lanes WHERE customer = $1 FOR UPDATE"

  private func showsToken(_ node: PostgresConnection) -> Bool {
    (try? node.ask(token.lookUp(in: head))).map(token.isIn) ?? false
  }

  private func showsLock(_ node: PostgresConnection) -> Bool {
    node.patience = Self.patience
    defer { node.patience = PostgresConnection.patienceByDefault }
    do throws(PostgresFailure) {
      _ = try node.ask(PostgresRequest("\(Self.lock) NOWAIT", head))
      return false
    } catch {
      return error.isLockNotAvailable
    }
  }

  private func takesLock(_ node: PostgresConnection) -> Bool {
    (try? node.ask(PostgresRequest(Self.lock, head)))?.count == 1
  }
}
#endif
