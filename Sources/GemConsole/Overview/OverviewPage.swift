#if Server
internal import GemLedger
internal import GemServer

/// The first page: the state of the economy in numbers, each of which leads to its list.
enum OverviewPage {
  static var routes: [ConsoleRoute] {
    [
      .get("", nil) { (visit) throws(LedgerError) in
        guard visit.session.allows(.books) else {
          let home = PageFrame.home(of: visit.session)
          guard let home else {
            throw LedgerError(.forbidden, "The key of this session has no scope that a page of the console needs.")
          }
          return .seeOther(ConsolePath(home))
        }
        return .page(ConsolePage("Overview", .p("")))
      }
    ]
  }
}
#endif
