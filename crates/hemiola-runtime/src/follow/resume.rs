//! Resumes from a checkpoint.

#![expect(unsafe_code, reason = "nothing runs while a robot goes on from a checkpoint")]

use hemiola_model::cdr::CdrReader;
use hemiola_model::data::{ReadError, Reader};
use hemiola_trace::Ticks;

use crate::blackboard::provenance::Provenance;
use crate::cycle::{Core, Cycle, Progress};
use crate::record::{CyclePart, Piece, PieceKind, View};

impl Cycle {
    /// Resumes where the part was written: its run is the next one to be repeated. Nothing runs
    /// yet.
    ///
    /// # Errors
    /// Returns an error with the reason if the part does not belong to this cycle.
    pub fn resume(&mut self, part: &CyclePart) -> Result<(), String> {
        for piece in &part.pieces {
            let restored = match piece.kind {
                PieceKind::Module => self.core.restore_module(piece),
                PieceKind::Value => self.core.restore_value(piece, part.run),
                PieceKind::Input => self.core.restore_input(piece),
                PieceKind::Samples => self.core.restore_samples(piece),
                // Messages are published again when all cycles have resumed.
                PieceKind::Messages => Ok(()),
            };
            restored.map_err(|error| {
                format!("checkpoint {} of {}, {} {}: {error}", part.number, part.cycle, piece.kind.word(), piece.name)
            })?;
        }
        if part.is_safe {
            self.core.program.resume_safe_state(&mut self.core.executor.between_runs());
        }
        self.core.publish_again(part);
        let changes = std::mem::take(&mut self.core.progress.changes);
        self.core.progress = Progress { runs: part.run, last_trigger: part.before, changes, is_resuming: true };
        Ok(())
    }
}

impl Core {
    fn restore_module(&mut self, piece: &Piece) -> Result<(), ReadError> {
        let mut reader = CdrReader::new(&piece.bytes)?;
        match self.program.instance(&piece.name) {
            Some(instance) => instance.read_state(&mut reader, &mut self.executor.between_runs()),
            // Another module provides its representations now.
            None => Ok(()),
        }
    }

    fn restore_value(&mut self, piece: &Piece, run: u32) -> Result<(), ReadError> {
        let (Some(index), [view]) = (self.blackboard.store_of(&piece.name), piece.views.as_slice()) else {
            return Ok(());
        };
        let store = self.blackboard.store(index);
        let mut reader = CdrReader::new(&piece.bytes)?;
        let provenance = self.provenance(view);
        let mut between = self.executor.between_runs();
        store.restore(&mut reader, (view.stamp, view.is_stale), &mut between)?;
        self.program.restore_provenance(index, run.wrapping_sub(1), &provenance, &mut between);
        Ok(())
    }

    fn restore_input(&mut self, piece: &Piece) -> Result<(), ReadError> {
        let (Some(index), [view]) = (self.blackboard.imported_of(&piece.name), piece.views.as_slice()) else {
            return Ok(());
        };
        let mut reader = CdrReader::new(&piece.bytes)?;
        let provenance = self.provenance(view);
        let mut between = self.executor.between_runs();
        self.blackboard.frame_mut(&mut between).imported[index].copy_from(&provenance);
        self.blackboard.imported(index).restore(&mut reader, (view.stamp, view.is_stale), &mut between)
    }

    fn restore_samples(&mut self, piece: &Piece) -> Result<(), ReadError> {
        let Some(index) = self.blackboard.imported_of(&piece.name) else { return Ok(()) };
        let mut reader = CdrReader::new(&piece.bytes)?;
        let count = reader.begin_sequence()?;
        let (imported, mut between) = (self.blackboard.imported(index), self.executor.between_runs());
        for view in piece.views.iter().take(count) {
            imported.restore_sample(&mut reader, (view.stamp, view.is_stale), &mut between)?;
        }
        reader.end_sequence()
    }

    /// Publishes again the last run's output that others have not read, although it was published
    /// before the cut.
    fn publish_again(&mut self, part: &CyclePart) {
        let Some(run) = part.run.checked_sub(1) else { return };
        let none = View::default();
        let view = |name: &str| {
            let piece = part.piece(PieceKind::Value, name);
            piece.and_then(|piece| piece.views.first()).unwrap_or(&none)
        };
        for number in 0..self.blackboard.exports() {
            let stores = self.blackboard.stores_of_export(number).iter();
            let origins: Vec<Provenance> =
                stores.map(|&store| self.provenance(view(self.blackboard.store(store).descriptor().name()))).collect();
            self.blackboard.restore_export(number, &origins, &mut self.executor.between_runs());
            // SAFETY: nothing runs yet.
            unsafe { self.blackboard.publish(number, origins.iter().enumerate(), run, Ticks::now()) };
        }
    }

    fn provenance(&self, view: &View) -> Provenance {
        let mut provenance = Provenance::shaped(self.robot.shape());
        for (source, span) in view.origins.iter().enumerate().take(provenance.sources()) {
            if let &Some((oldest, newest)) = span {
                provenance.include(source, oldest);
                provenance.include(source, newest);
            }
        }
        provenance
    }
}
