internal import GemLedger

/// The speed of subscriptions: StoreKit's test rates with their raw values, which `.storekit` files use too.
public enum TimeRate: Int64, Hashable, Sendable, CaseIterable {
  /// As in real life.
  case realTime = 0
  /// A day takes an hour.
  case oneRealDayIsOneHour = 1
  /// A day takes 30 minutes.
  case oneRealDayIsThirtyMinutes = 2
  /// A day takes 5 minutes.
  case oneRealDayIsFiveMinutes = 3
  /// A day takes a minute.
  case oneRealDayIsOneMinute = 4
  /// A day takes 30 seconds.
  case oneRealDayIsThirtySeconds = 5
  /// A day takes a second.
  case oneRealDayIsOneSecond = 6
  /// A month takes an hour.
  case monthlyRenewalEveryOneHour = 10
  /// A month takes 30 minutes.
  case monthlyRenewalEveryThirtyMinutes = 11
  /// A month takes 15 minutes.
  case monthlyRenewalEveryFifteenMinutes = 12
  /// A month takes 5 minutes.
  case monthlyRenewalEveryFiveMinutes = 13
  /// A month takes 30 seconds.
  case monthlyRenewalEveryThirtySeconds = 15
  /// Every cycle takes 15 minutes.
  case anyRenewalEveryFifteenMinutes = 1000
  /// Every cycle takes 5 minutes.
  case anyRenewalEveryFiveMinutes = 1001
  /// Every cycle takes a minute.
  case anyRenewalEveryOneMinute = 1002
  /// Every cycle takes 30 seconds.
  case anyRenewalEveryThirtySeconds = 1003
  /// Every cycle takes 10 seconds.
  case anyRenewalEveryTenSeconds = 1004
  /// Every cycle takes 2 seconds.
  case anyRenewalEveryTwoSeconds = 1005
}

extension TimeRate {
  private enum Pace {
    case real
    /// Milliseconds for a day of 24 hours.
    case day(Int64)
    /// Milliseconds for a cycle of any length.
    case cycle(Int64)
  }

  private var pace: Pace {
    switch self {
    case .realTime: .real
    case .oneRealDayIsOneHour: .day(3_600_000)
    case .oneRealDayIsThirtyMinutes: .day(1_800_000)
    case .oneRealDayIsFiveMinutes: .day(300_000)
    case .oneRealDayIsOneMinute: .day(60_000)
    case .oneRealDayIsThirtySeconds: .day(30_000)
    case .oneRealDayIsOneSecond: .day(1000)
    case .monthlyRenewalEveryOneHour: .day(3_600_000 / 30)
    case .monthlyRenewalEveryThirtyMinutes: .day(1_800_000 / 30)
    case .monthlyRenewalEveryFifteenMinutes: .day(900_000 / 30)
    case .monthlyRenewalEveryFiveMinutes: .day(300_000 / 30)
    case .monthlyRenewalEveryThirtySeconds: .day(30_000 / 30)
    case .anyRenewalEveryFifteenMinutes: .cycle(900_000)
    case .anyRenewalEveryFiveMinutes: .cycle(300_000)
    case .anyRenewalEveryOneMinute: .cycle(60_000)
    case .anyRenewalEveryThirtySeconds: .cycle(30_000)
    case .anyRenewalEveryTenSeconds: .cycle(10_000)
    case .anyRenewalEveryTwoSeconds: .cycle(2000)
    }
  }

  /// Returns the end of a cycle that begins at `start`.
  func end(of period: SubscriptionPeriod, from start: Timestamp) -> Timestamp {
    switch pace {
    case .real: period.added(to: start)
    case .day(let milliseconds): start.advanced(milliseconds: period.nominalDays * milliseconds)
    case .cycle(let milliseconds): start.advanced(milliseconds: milliseconds)
    }
  }

  /// Returns the end of a grace or retry time in days; if every cycle has one length, so has this time.
  func end(ofDays days: Int64, from start: Timestamp) -> Timestamp {
    switch pace {
    case .real: start.advanced(milliseconds: days * SubscriptionPeriod.dayMilliseconds)
    case .day(let milliseconds): start.advanced(milliseconds: days * milliseconds)
    case .cycle(let milliseconds): start.advanced(milliseconds: milliseconds)
    }
  }
}
