internal import GemLedger
internal import SimulatedStores
internal import StoreBackend
internal import StoreClient

extension Transaction {
  /// A sequence of transactions.
  public struct Transactions: AsyncSequence, Sendable {
    enum Source: Sendable {
      case updates
      case unfinished
      case all
      case currentEntitlements
    }

    let source: Source
    var productID: String?

    /// Begins a reading: a list is asked for with its first element, and updates are listened to from now on.
    public func makeAsyncIterator() -> AsyncIterator {
      switch source {
      case .updates: AsyncIterator(reading: .updates(ProcessStore.current?.device.updates()))
      case .unfinished, .all, .currentEntitlements: AsyncIterator(reading: .unread(self))
      }
    }

    /// A reader of the sequence.
    public struct AsyncIterator: AsyncIteratorProtocol {
      enum Reading {
        /// Nil until there is a test session.
        case updates(AsyncStream<StoreEvidence>?)
        case unread(Transactions)
        case list(ArraySlice<StoreEvidence>)
      }

      var reading: Reading

      /// The next transaction; nil at the end of a list, and for updates at the end of the app.
      public mutating func next() async -> VerificationResult<Transaction>? {
        switch reading {
        case .updates(var updates):
          if updates == nil { updates = await ProcessStore.next()?.device.updates() }
          let evidence = await updates?.nextElement()
          reading = .updates(updates)
          return evidence.map(VerificationResult.init)
        case .unread(let transactions):
          reading = .list(await transactions.list()[...])
          return await next()
        case .list(var list):
          let evidence = list.popFirst()
          reading = .list(list)
          return evidence.map(VerificationResult.init)
        }
      }
    }
  }

  /// The events outside of a purchase by this app: approvals, renewals, refunds, purchases on other devices.
  ///
  /// The first reading since the start of the app begins with the unfinished transactions, each once. It ends when
  /// another test session begins, or ``SKTestSession/relaunchApp()`` starts the app anew.
  public static var updates: Transactions { Transactions(source: .updates) }

  /// The paid and unfinished transactions, oldest first.
  public static var unfinished: Transactions { Transactions(source: .unfinished) }

  /// The history: without finished consumables, unless these were refunded or the app asks for them.
  public static var all: Transactions { Transactions(source: .all) }

  /// The transactions that entitle the customer to something now: never consumables.
  public static var currentEntitlements: Transactions { Transactions(source: .currentEntitlements) }

  /// Returns the transactions that entitle the customer to a product now; never those of consumables.
  public static func currentEntitlements(for productID: String) -> Transactions {
    Transactions(source: .currentEntitlements, productID: productID)
  }

  /// Returns the newest transaction of a product that entitles the customer to it now; never that of a consumable.
  public static func currentEntitlement(for productID: String) async -> VerificationResult<Transaction>? {
    await currentEntitlements(for: productID).list().last.map(VerificationResult.init)
  }

  /// Returns the newest transaction of a product, where the history shows one.
  public static func latest(for productID: String) async -> VerificationResult<Transaction>? {
    await Transactions(source: .all, productID: productID).list().last.map(VerificationResult.init)
  }
}

extension Transaction.Transactions {
  /// Everything in the list; empty without a test session, and where the store cannot be reached.
  func list() async -> [StoreEvidence] {
    guard let attached = ProcessStore.current else { return [] }
    do throws(StoreFailure) {
      let evidence =
        switch source {
        case .unfinished: try await attached.device.unfinished(after: nil, limit: .max)
        case .all: try await attached.device.all()
        case .currentEntitlements: try await attached.device.currentEntitlements()
        case .updates: [StoreEvidence]()
        }
      guard let productID else { return evidence }
      return evidence.filter { $0.transaction.storeProductID.hasBytes(of: productID) }
    } catch {
      // StoreKit's sequences report no failure: they are empty then.
      return []
    }
  }
}
