import StoreClientFoundation

// snippet: codelab-launch
// GemStoreApp.swift
struct GemStoreApp: App {
  init() {
    Purchases.logLevel = .debug
    Purchases.configure(withAPIKey: "appl_YOUR_PUBLIC_SDK_KEY")
  }
  var body: some Scene {
    WindowGroup {
      GemStoreView()
    }
  }
}
// snippet: end
