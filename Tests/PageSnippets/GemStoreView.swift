import StoreClientFoundation

// snippet: codelab-view
// GemStoreView.swift
struct GemStoreView: View {
  @StateObject private var model = GemStoreModel()
  // A real two-way binding, so any dismissal clears the error state.
  private var showError: Binding<Bool> {
    Binding(
      get: { model.errorMessage != nil },
      set: { if !$0 { model.errorMessage = nil } })
  }
  var body: some View {
    NavigationStack {
      List {
        Section("Your balance") {
          Label("\(model.gemBalance) gems", systemImage: "diamond.fill")
            .font(.headline)
        }
        Section("Buy gems") {
          ForEach(model.packages, id: \.identifier) { pkg in
            Button {
              Task { await model.buy(pkg) }
            } label: {
              HStack {
                Text(pkg.storeProduct.localizedTitle)
                Spacer()
                Text(pkg.storeProduct.localizedPriceString)
                  .foregroundStyle(.secondary)
              }
            }
          }
        }
      }
      .navigationTitle("Gem Store")
      .task {
        await model.loadStore()
        await model.refreshBalance()
      }
      .alert("Something went wrong", isPresented: showError) {
        Button("OK", role: .cancel) {}
      } message: {
        Text(model.errorMessage ?? "")
      }
    }
  }
}
// snippet: end
