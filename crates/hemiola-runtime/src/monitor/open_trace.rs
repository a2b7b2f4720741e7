//! The file of a trace. A disk may be slow or gone, so it is opened and closed with nothing locked.

use std::fs::File;
use std::io::{BufWriter, Error, ErrorKind};
use std::path::{Path, PathBuf};

use hemiola_trace::{Catalog, TickScale, perfetto};

use crate::error::RuntimeError;

/// See the module.
pub struct OpenTrace {
    pub path: PathBuf,
    pub writer: perfetto::Writer<BufWriter<File>>,
}

impl OpenTrace {
    /// Begins one.
    pub fn create(path: &Path, catalog: Catalog, scale: TickScale) -> Result<Self, RuntimeError> {
        let writer = perfetto::Writer::create(path, catalog, scale)?;
        Ok(Self { path: path.to_owned(), writer })
    }

    /// Writes its end.
    pub fn finish(self) -> Result<(), RuntimeError> {
        let Self { path, writer } = self;
        writer.finish()?;
        if !path.exists() {
            let gone = "it was removed while it was written, or the folder that it was in";
            let source = Error::new(ErrorKind::NotFound, gone);
            return Err(hemiola_trace::Error::WriteTrace { path, source }.into());
        }
        Ok(())
    }
}
