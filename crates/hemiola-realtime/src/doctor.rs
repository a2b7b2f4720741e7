//! doctor
mod privileges;
pub(crate) use privileges::Privileges;
