fn main() {
    cu29_build::setup();
}
