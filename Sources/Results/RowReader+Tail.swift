// SPDX-License-Identifier: Apache-2.0

extension RowReader {
  /// Where the cells of a row are that are looked at in every row.
  struct Tail {
    struct Cell {
      let column: Column
      let place: Int
    }

    let metric, value, ciLow, ciHigh, ciLevel, nProc, nIter, nOp, process: Cell
    let role, pairID, state, quality: Cell
    /// Nil where files of the layout lack it.
    let design: Int?

    init(_ layout: CSVLayout) {
      func cell(_ column: Column) -> Cell {
        guard let place = layout.place(of: column) else {
          fatalError("RowReader: a layout without \(column.rawValue); a bug in CSVLayout")
        }
        return Cell(column: column, place: place)
      }
      (metric, value) = (cell(.metric), cell(.value))
      (ciLow, ciHigh, ciLevel) = (cell(.ciLow), cell(.ciHigh), cell(.ciLevel))
      (nProc, nIter, nOp, process) = (cell(.nProc), cell(.nIter), cell(.nOp), cell(.process))
      (role, pairID, state) = (cell(.role), cell(.pairID), cell(.state))
      quality = cell(.quality)
      design = layout.place(of: .design)
    }
  }
}
