// SPDX-License-Identifier: Apache-2.0

/// What happens while a revision becomes an executable, for whoever tells the user.
package enum RevisionEvent: Hashable, Sendable {
  /// Another process builds, uses or removes this commit; it is waited for.
  case waits(commit: String)
  /// The build begins: minutes for a large package.
  case builds(commit: String)
  /// It is built, in so many seconds.
  case built(commit: String, seconds: Int)
  /// What a process left behind that did not come to its end is removed: worktree and build.
  case removesLeftover(folder: String)
  /// The executable that was used longest ago is removed.
  case forgets(commit: String)
}
