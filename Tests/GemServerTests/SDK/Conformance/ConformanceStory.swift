#if Server
import GemLedger
import GemTestSupport

/// What people do with an app, from its launch on.
struct ConformanceStory: Sendable {
  let name: String
  /// Whose wallet has everything at the end; nil where that depends on who came first.
  let owner: String?
  let run: @Sendable (_ device: any SDKDevice, _ other: any SDKDevice) async throws -> Void

  static let all: [Self] = [codelab, anonymous, loginAfterPurchase, secondDevice, reinstall, otherUser, restore, sync]

  /// The codelab's app: sign in, look at the shop, buy twice.
  static let codelab = Self(name: "codelab", owner: "user-1-5f2c") { device, _ in
    try await device.launch()
    try await device.logIn("user-1-5f2c")
    try await device.offerings()
    _ = try await device.balance()
    try await device.buy()
    _ = try await device.balance()
    try await device.foreground()
    try await device.buy()
    _ = try await device.balance()
  }

  static let anonymous = Self(name: "anonymous", owner: nil) { device, _ in
    try await device.launch()
    try await device.buy()
    try await device.restore()
    try await device.buy()
  }

  static let loginAfterPurchase = Self(name: "login after a purchase", owner: nil) { device, _ in
    try await device.launch()
    try await device.buy()
    try await device.logIn("user-1-5f2c")
    try await device.buy()
  }

  static let secondDevice = Self(name: "second device", owner: "user-1-5f2c") { device, other in
    try await device.launch()
    try await device.logIn("user-1-5f2c")
    try await device.buy()
    try await other.launch()
    try await other.logIn("user-1-5f2c")
    try await other.restore()
    try await other.buy()
    try await device.foreground()
  }

  static let reinstall = Self(name: "reinstall", owner: nil) { device, _ in
    try await device.launch()
    try await device.logIn("user-1-5f2c")
    try await device.buy()
    device.reinstall()
    try await device.launch()
    try await device.logIn("user-1-5f2c")
    try await device.restore()
    try await device.buy()
  }

  /// A second person signs in on the device while the first one's purchase may still wait.
  static let otherUser = Self(name: "another user", owner: nil) { device, _ in
    try await device.launch()
    try await device.logIn("user-1-5f2c")
    try await device.buy()
    try await device.logOut()
    try await device.logIn("user-2-8b7e")
    try await device.foreground()
    try await device.buy()
  }

  /// On Android the SDK neither consumes nor acknowledges what it synchronizes: only the server can.
  static let sync = Self(name: "synchronized purchase", owner: "user-1-5f2c") { device, _ in
    try await device.launch()
    try await device.logIn("user-1-5f2c")
    try device.buyOutside()
    try await device.sync()
    try await device.foreground()
    try await device.buy()
  }

  static let restore = Self(name: "restore without purchases", owner: nil) { device, _ in
    try await device.launch()
    try await device.restore()
    try await device.buy()
    try await device.restore()
  }

  private enum Act: String, CaseIterable {
    case launch, foreground, logInFirst, logInSecond, logOut, buy, buyAgain, buyOutside, restore, sync, reinstall,
      balance
  }

  /// Acts of two devices in any order.
  static func random(_ generator: inout SeededRandom) -> Self {
    let acts = (0..<(4 + generator.below(8))).map { _ in
      (generator.one(of: Act.allCases), isOther: generator.percent(30))
    }
    let name = acts.map { "\($0.rawValue)\($1 ? " on the other device" : "")" }.joined(separator: ", ")
    return Self(name: name, owner: nil) { device, other in
      try await device.launch()
      try await other.launch()
      for (act, isOther) in acts {
        let device = isOther ? other : device
        switch act {
        case .launch: try await device.launch()
        case .foreground: try await device.foreground()
        case .logInFirst: try await device.logIn("user-1-5f2c")
        case .logInSecond: try await device.logIn("user-2-8b7e")
        case .logOut: try await device.logOut()
        case .buy, .buyAgain: try await device.buy()
        case .buyOutside: try device.buyOutside()
        case .restore: try await device.restore()
        case .sync: try await device.sync()
        case .balance: _ = try await device.balance()
        case .reinstall:
          device.reinstall()
          try await device.launch()
        }
      }
    }
  }
}
#endif
