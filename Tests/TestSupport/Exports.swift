// SPDX-License-Identifier: Apache-2.0

// The instruments of the conformance kit serve the other tests as well: one copy, one import.
@_exported public import SchedulerConformance
