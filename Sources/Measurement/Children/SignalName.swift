// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// The usual name of a signal that ends processes, or `unknown`.
func signalName(_ number: Int32) -> String {
  switch number {
  case SIGABRT: "SIGABRT"
  case SIGBUS: "SIGBUS"
  case SIGFPE: "SIGFPE"
  case SIGHUP: "SIGHUP"
  case SIGILL: "SIGILL"
  case SIGINT: "SIGINT"
  case SIGKILL: "SIGKILL"
  case SIGPIPE: "SIGPIPE"
  case SIGQUIT: "SIGQUIT"
  case SIGSEGV: "SIGSEGV"
  case SIGSYS: "SIGSYS"
  case SIGTERM: "SIGTERM"
  case SIGTRAP: "SIGTRAP"
  case SIGXCPU: "SIGXCPU"
  default: "unknown"
  }
}
