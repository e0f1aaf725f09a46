#if Server
/// What RevenueCat's API lacks: history, reversals, holds, transfers, events, proofs.
enum LedgerRoutes {
  static var all: [Route] { [] }
}
#endif
