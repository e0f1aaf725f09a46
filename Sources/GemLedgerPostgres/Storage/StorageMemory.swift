#if PostgreSQL
  internal import GemLedger
  internal import Synchronization

  /// What a storage remembers between groups, for all of its connections; none of it decides anything.
  final class StorageMemory: Sendable {
    private let known = Mutex<ProjectRow?>(nil)
    let directory = CustomerDirectory()
    /// Whether the catalog was read before; who reads it first needs the currencies too.
    let knowsCatalog = Atomic(false)
    /// How many groups more are begun with what is counted of their customers; asking for it anew starts over.
    let countDemand = Atomic(0)
    static let countDemandMax = 64
    private let environments = Mutex<[StoreEnvironment: Int64]>([:])
    private let terms = Mutex<[String: Int64]>([:])

    /// What the project is, once the storage is open; it never changes.
    var project: ProjectRow? { known.withLock { $0 } }

    func remember(_ project: ProjectRow) { known.withLock { $0 = project } }

    /// Nothing of it may hold any more: after a lost connection there may be another server, or a restored backup.
    func forgetAll() {
      directory.forgetAll()
      environments.withLock { $0.removeAll() }
      terms.withLock { $0.removeAll() }
    }

    /// The number of an environment that is known; those without a session have fixed ones.
    func number(of environment: StoreEnvironment) -> Int64? {
      guard environment.session != nil else { return environment.kind.rawValue }
      return environments.withLock { $0[environment] }
    }

    func remember(_ rows: [EnvironmentRow]) {
      environments.withLock { known in for row in rows { known[row.environment] = row.number } }
    }

    /// The numbers of purchase terms that the database has.
    func number(ofTerms document: String) -> Int64? { terms.withLock { $0[document] } }

    func remember(terms document: String, number: Int64) {
      terms.withLock { known in
        if known.count > 1024 { known.removeAll() }
        known[document] = number
      }
    }
  }
#endif
