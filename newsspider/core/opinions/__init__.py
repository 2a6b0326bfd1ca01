"""What people think of something: the tendency of a sentence, and which sentences say it best."""
